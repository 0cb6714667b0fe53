import Glibc

/// supysonic, a real server of music, with a folder and the user `me`. Debian has no web server with it that it would
/// start by itself, so it runs on that of its own framework.
public final class Supysonic: Sendable {
  /// The password of the user: with a blank, and a letter of two bytes.
  public static let password = "se crét"

  private let folder: TemporaryFolder
  private let process: ChildProcess
  private let port: KeptPort
  /// `http://127.0.0.1:PORT`.
  public let address: String

  /// True if it is installed.
  public static var isInstalled: Bool { access("/usr/bin/supysonic-cli", X_OK) == 0 }

  /// Reads a folder, starts the server, and waits until it answers.
  public init(serving music: String) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    port = KeptPort()
    address = "http://127.0.0.1:\(port.number)"
    try write(
      """
      [base]
      database_uri = sqlite:///\(folder("supysonic.db"))
      [webapp]
      cache_dir = \(folder("cache"))
      [daemon]
      socket = \(folder("socket"))
      run_watcher = no
      """.utf8, to: folder("supysonic.conf"))
    // It looks for its settings there.
    func command(_ arguments: String...) throws -> ChildProcess {
      try ChildProcess(
        ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + arguments, environment: ["HOME": folder.path],
        output: .file(folder("output")), errors: folder("errors"))
    }
    _ = try command("supysonic-cli", "user", "add", "me", "-p", Self.password).wait()
    _ = try command("supysonic-cli", "folder", "add", "Music", music).wait()
    _ = try command("supysonic-cli", "folder", "scan", "--foreground", "Music").wait()
    process = try command(
      "/usr/bin/python3", "-c",
      """
      from supysonic.web import create_application
      from supysonic.config import IniConfig
      create_application(IniConfig(["supysonic.conf"])).run(host="127.0.0.1", port=\(port.number), threaded=False)
      """)
    try waitForPort(port.number, of: process, errors: folder("errors"))
  }

  /// The requests so far, as its web server writes them.
  public var log: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  /// Ends it.
  public func end() { process.end() }

  deinit { end() }
}
