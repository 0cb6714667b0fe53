internal import ArgumentParser
internal import ByteIO
internal import Desk
internal import Glibc
internal import Library
internal import Streaming

/// Options of all commands that read addresses.
struct StreamOptions: ParsableArguments {
  @Flag(name: .customLong("no-cache"), help: "Do not cache network streams on disk.")
  var keepsNothing = false

  /// The network with the program's settings.
  var configuration: NetworkConfiguration { Self.configuration(keepsNothing: keepsNothing) }

  /// The same without parsed options.
  static func configuration(keepsNothing: Bool) -> NetworkConfiguration {
    var configuration = NetworkConfiguration()
    configuration.userAgent = "segue/" + programVersion
    configuration.playlists = PlaylistReading(
      begins: { MediaCollector.isPlaylist($0) },
      addresses: { MediaCollector.addresses(in: .init(bytes: $0, address: $1)) })
    if let library = UserFolders().data {
      let servers = KnownServers(library)
      configuration.serverAddress = { track throws(NetworkError) in
        try LibraryServers.address(of: track, in: servers)
      }
      configuration.certificate = { servers.certificate(for: $0) }
      configuration.pinnedFolder = pinnedFolder
    }
    configuration.cacheFolder = keepsNothing ? nil : cacheFolder?.appending(BytePath("streams"))
    return configuration
  }

  /// The folder of pinned tracks of servers; `nil` without a home.
  static var pinnedFolder: BytePath? { UserFolders().data?.appending(PinRun.folder) }

  /// `$SEGUE_HOME/cache`, else `$XDG_CACHE_HOME/segue`, else below `~/.cache`; `nil` without a home.
  static var cacheFolder: BytePath? {
    let roots = [
      ("SEGUE_HOME", "cache"), ("XDG_CACHE_HOME", "segue"), ("HOME", ".cache/segue"),
    ]
    for (name, rest) in roots {
      // The XDG base directory specification: relative paths must be ignored, and empty values.
      guard let value = getenv(name) else { continue }
      let root = BytePath(UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) })
      guard !root.bytes.isEmpty else { continue }
      if name == "SEGUE_HOME" { return root.absolute.appending(BytePath(rest)) }
      if root.isAbsolute { return root.appending(BytePath(rest)) }
    }
    return nil
  }
}
