internal import ByteIO
internal import Glibc
internal import Library

/// Where the player's files are (XDG Base Directory Specification), or all in SEGUE_HOME.
struct UserFolders {
  /// `config`, `keys`, `themes/`: read only. `nil` where there is no home.
  let configuration: BytePath?
  /// The session and the history of commands.
  let state: BytePath?
  private let home: BytePath?

  init() {
    home = Self.variable("HOME")
    if let all = Self.variable("SEGUE_HOME")?.absolute {
      (configuration, state) = (all, all.appending(BytePath("state")))
    } else {
      configuration = Self.folder("XDG_CONFIG_HOME", or: ".config", home)
      state = Self.folder("XDG_STATE_HOME", or: ".local/state", home)
    }
  }

  private static func variable(_ name: String) -> BytePath? {
    guard let value = getenv(name), value[0] != 0 else { return nil }
    return BytePath(UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) })
  }

  /// A relative path in the variable is none.
  private static func folder(_ name: String, or usual: String, _ home: BytePath?) -> BytePath? {
    let base = variable(name).flatMap { $0.isAbsolute ? $0 : nil } ?? home?.appending(BytePath(usual))
    return base?.appending(BytePath("segue"))
  }

  /// A path as people type it: `~/x` lies in the home folder.
  func expanded(_ path: BytePath) -> BytePath {
    guard let home, path.bytes.first == UInt8(ascii: "~") else { return path }
    let rest = path.bytes.dropFirst()
    if rest.isEmpty { return home }
    return rest.first == UInt8(ascii: "/") ? home.appending(BytePath(rest.drop { $0 == UInt8(ascii: "/") })) : path
  }

  /// The same path as people type it.
  func abbreviated(_ path: BytePath) -> BytePath {
    guard let home, home.bytes.count > 1, path.bytes.starts(with: home.bytes + [UInt8(ascii: "/")]) else { return path }
    return BytePath([UInt8(ascii: "~")] + path.bytes.dropFirst(home.bytes.count))
  }

  /// Where Files begins: the folder for music, if there is one, or where the program was started.
  var music: BytePath {
    let usual = home?.appending(BytePath("Music"))
    return usual.flatMap { $0.withCString { access($0, R_OK | X_OK) } == 0 ? $0 : nil } ?? BytePath(".")
  }
}
