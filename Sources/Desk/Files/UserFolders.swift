public import ByteIO
internal import Commands
internal import Glibc
internal import Library

/// The folders of the player's files: by the XDG Base Directory Specification, or all in `SEGUE_HOME`.
public struct UserFolders: Sendable {
  /// `config`, `keys`, `themes/`: read only. `nil` without a home.
  public let configuration: BytePath?
  /// The session and the history of commands.
  public let state: BytePath?
  /// The sockets of running players. `nil` without a folder for them (`XDG_RUNTIME_DIR`), which systems make at login.
  public let runtime: BytePath?
  /// The library.
  public let data: BytePath?
  /// Streams and waveforms, which may be deleted at any time.
  public let cache: BytePath?
  /// The listener's home folder.
  public let home: BytePath?

  /// The folders by the environment.
  public init() {
    home = Self.variable("HOME")
    let usual = BytePath("/run/user/\(geteuid())")
    let base =
      Self.variable("XDG_RUNTIME_DIR").flatMap { $0.isAbsolute ? $0 : nil }
      ?? (usual.withCString { access($0, W_OK | X_OK) } == 0 ? usual : nil)
    runtime = base?.appending(BytePath("segue"))
    if let all = Self.variable("SEGUE_HOME")?.absolute {
      (configuration, state, data) = (all, all.appending(BytePath("state")), all.appending(BytePath("data")))
      cache = all.appending(BytePath("cache"))
    } else {
      configuration = Self.folder("XDG_CONFIG_HOME", or: ".config", home)
      state = Self.folder("XDG_STATE_HOME", or: ".local/state", home)
      data = Self.folder("XDG_DATA_HOME", or: ".local/share", home)
      cache = Self.folder("XDG_CACHE_HOME", or: ".cache", home)
    }
  }

  /// All folders in one, as `SEGUE_HOME` has it.
  init(all: BytePath, home: BytePath) {
    (configuration, state, data) = (all, all.appending(BytePath("state")), all.appending(BytePath("data")))
    (runtime, cache) = (all.appending(BytePath("run")), all.appending(BytePath("cache")))
    self.home = home
  }

  private static func variable(_ name: String) -> BytePath? {
    guard let value = getenv(name), value[0] != 0 else { return nil }
    return BytePath(UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) })
  }

  /// The specification ignores relative paths.
  private static func folder(_ name: String, or usual: String, _ home: BytePath?) -> BytePath? {
    let base = variable(name).flatMap { $0.isAbsolute ? $0 : nil } ?? home?.appending(BytePath(usual))
    return base?.appending(BytePath("segue"))
  }

  /// Playlist files for clients. Earlier versions have saved playlists of clients there.
  public var playlists: BytePath? { state?.appending(BytePath("playlists")) }

  /// Listens that could not be sent yet.
  public var listens: BytePath? { state?.appending(BytePath("listens")) }

  /// Lyrics from a server, and shifts of lyrics.
  public var lyrics: BytePath? { state?.appending(BytePath("lyrics")) }

  /// The files of saved and of recent streams.
  var streamLists: [BytePath] { state.map(Self.streams).map { [$0.kept, $0.recent] } ?? [] }

  static func streams(in folder: BytePath) -> (kept: BytePath, recent: BytePath) {
    (folder.appending(BytePath("streams.m3u8")), folder.appending(BytePath("recent-streams.m3u8")))
  }

  /// The path for a typed path: `~/x` is in the home folder.
  public func expanded(_ path: BytePath) -> BytePath {
    guard let home, path.bytes.first == UInt8(ascii: "~") else { return path }
    let rest = path.bytes.dropFirst()
    if rest.isEmpty { return home }
    return rest.first == UInt8(ascii: "/") ? home.appending(BytePath(rest.drop { $0 == UInt8(ascii: "/") })) : path
  }

  /// The short form of a path: `~/x` in the home folder.
  public func abbreviated(_ path: BytePath) -> BytePath { path.abbreviated(inHome: home) }

  /// The listener's folder for music: `XDG_MUSIC_DIR` of xdg-user-dirs, else `~/Music`; `nil` if it does not exist.
  /// Reads a file.
  var ownMusic: BytePath? {
    let base = Self.variable("XDG_CONFIG_HOME").flatMap { $0.isAbsolute ? $0 : nil }
    let file = (base ?? home?.appending(BytePath(".config")))?.appending(BytePath("user-dirs.dirs"))
    let bytes = file.flatMap { try? SmallFile.read($0) } ?? []
    let folder = home.map { Self.musicFolder(inUserDirs: bytes, home: $0) ?? $0.appending(BytePath("Music")) }
    return folder.flatMap { $0 != home && $0.withCString { access($0, R_OK | X_OK) } == 0 ? $0 : nil }
  }

  /// The files of other players that `ForeignLibrary` reads and that are there.
  var otherPlayers: [SetupFacts.OtherPlayer] {
    let places = [
      ("Rhythmbox", "XDG_DATA_HOME", ".local/share", "rhythmbox/rhythmdb.xml"),
      ("Strawberry", "XDG_DATA_HOME", ".local/share", "strawberry/strawberry/strawberry.db"),
      ("Clementine", "XDG_CONFIG_HOME", ".config", "Clementine/clementine.db"),
      ("cmus", "XDG_CONFIG_HOME", ".config", "cmus/cache"),
    ]
    var players = places.compactMap { name, variable, usual, file in
      Self.place(file, in: variable, or: usual, home).map { SetupFacts.OtherPlayer(name, $0) }
    }
    if let mpd, mpd.stickers.withCString({ access($0, R_OK) }) == 0 {
      players.append(SetupFacts.OtherPlayer("MPD", mpd.stickers))
    }
    if let lists = Self.place("quodlibet/playlists", in: "XDG_CONFIG_HOME", or: ".config", home) {
      let files = FolderContents(reading: lists, playableExtensions: []).items.map(\.path)
        // The guide names them as text.
        .filter { $0.fileExtension == "xspf" && BytePath($0.description) == $0 }
      if !files.isEmpty {
        players.append(SetupFacts.OtherPlayer("Quod Libet", lists, playlists: Array(files.prefix(Self.playlistLimit))))
      }
    }
    let names = ["iTunes/iTunes Library.xml", "iTunes/iTunes Music Library.xml", "Library.xml"]
    let iTunes = names.lazy.compactMap { ownMusic?.absolute.appending(BytePath($0)) }.first(where: \.exists)
    if let iTunes { players.append(SetupFacts.OtherPlayer("iTunes", iTunes)) }
    return players
  }

  /// More playlists of another player are for the shell.
  private static let playlistLimit = 1000

  /// A file or folder of another player, if it is there.
  private static func place(_ file: String, in variable: String, or usual: String, _ home: BytePath?) -> BytePath? {
    let base = Self.variable(variable).flatMap { $0.isAbsolute ? $0 : nil } ?? home?.appending(BytePath(usual))
    let path = base?.appending(BytePath(file))
    return path.flatMap { $0.exists ? $0 : nil }
  }

  /// The folder of the music that a file of another player names; `nil` if only the file knows it. Reads files.
  func music(ofOtherPlayer file: BytePath) -> BytePath? {
    if let mpd, mpd.stickers == file { return mpd.music }
    guard file.fileExtension == "xml" else { return nil }
    return ["iTunes Media", "iTunes Music"].lazy.map { file.parent.appending(BytePath($0)) }.first(where: \.exists)
  }

  /// The stickers and the music of the listener's MPD, by its settings.
  private var mpd: (stickers: BytePath, music: BytePath)? {
    let own = [".mpdconf", ".mpd/mpd.conf"].map { home?.appending(BytePath($0)) }
    let first = Self.place("mpd/mpd.conf", in: "XDG_CONFIG_HOME", or: ".config", home)
    let places = [first] + own + [BytePath("/etc/mpd.conf")]
    guard let file = places.lazy.compactMap(\.self).first(where: \.exists), let bytes = try? SmallFile.read(file),
      let stickers = Self.value(of: "sticker_file", inSettingsOfMPD: bytes),
      let music = Self.value(of: "music_directory", inSettingsOfMPD: bytes)
    else { return nil }
    let paths = (stickers: expanded(stickers), music: expanded(music))
    return paths.stickers.isAbsolute && paths.music.isAbsolute ? paths : nil
  }

  /// The path in `sticker_file "~/.mpd/sticker.sql"`.
  static func value(of name: String, inSettingsOfMPD bytes: [UInt8]) -> BytePath? {
    let quote = UInt8(ascii: "\"")
    for line in bytes.split(separator: 0x0a) {
      let parts = line.split(separator: quote, maxSplits: 2, omittingEmptySubsequences: false)
      let isNamed = parts[0].filter { $0 > 0x20 }.elementsEqual(name.utf8)
      if isNamed, parts.count == 3, !parts[1].isEmpty { return BytePath(parts[1]) }
    }
    return nil
  }

  /// The value of `XDG_MUSIC_DIR="$HOME/Music"`: an absolute path, or one in the home folder.
  static func musicFolder(inUserDirs bytes: [UInt8], home: BytePath) -> BytePath? {
    let (name, start) = (Array("XDG_MUSIC_DIR=\"".utf8), Array("$HOME".utf8))
    let lines = bytes.split(separator: 0x0a)
    guard let line = lines.last(where: { $0.starts(with: name) }) else { return nil }
    let value = line.dropFirst(name.count).prefix { $0 != UInt8(ascii: "\"") }
    if value.starts(with: start) {
      let rest = value.dropFirst(start.count).drop { $0 == UInt8(ascii: "/") }
      return rest.isEmpty ? home : home.appending(BytePath(rest))
    }
    return value.first == UInt8(ascii: "/") ? BytePath(value) : nil
  }

  /// The first folder of Files: the folder for music if it exists, or the current folder.
  public var music: BytePath {
    let usual = home?.appending(BytePath("Music"))
    return usual.flatMap { $0.withCString { access($0, R_OK | X_OK) } == 0 ? $0 : nil } ?? BytePath(".")
  }
}
