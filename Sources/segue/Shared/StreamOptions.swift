internal import ArgumentParser
internal import ByteIO
internal import Desk
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
    let folders = UserFolders()
    if let library = folders.data {
      let servers = KnownServers(library)
      configuration.serverAddress = { track throws(NetworkError) in
        try LibraryServers.address(of: track, in: servers)
      }
      configuration.certificate = { servers.certificate(for: $0) }
      configuration.pinnedFolder = folders.pinned
    }
    configuration.cacheFolder = keepsNothing ? nil : folders.cache?.appending(BytePath("streams"))
    return configuration
  }
}
