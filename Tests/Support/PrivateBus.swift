internal import Glibc

/// A D-Bus daemon for one test, in its folder.
public final class PrivateBus: Sendable {
  /// The address of the bus, for the environment.
  public let address: String
  /// The bus.
  public let daemon: ChildProcess
  private let folder: TemporaryFolder

  /// Starts the bus; its socket is the file `bus`.
  public init(in folder: TemporaryFolder) throws {
    self.folder = folder
    address = "unix:path=\(folder("bus"))"
    daemon = try ChildProcess(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)"])
    // Its file exists before it listens.
    guard waitUntil({ SoundServer.accepts(folder("bus")) }) else { throw ChildProcess.Failure("dbus-daemon", ENOENT) }
  }

  /// Starts a logind on the bus, which obeys signals (logind.py). When the machine sleeps, `command` writes the file
  /// `asleep`.
  public func startLogind(
    command: [String] = ["true"], environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    try start("logind.py", [folder("ready"), folder("asleep")] + command, environment, ready: "ready")
  }

  /// Starts a desktop that shows notifications (notifications.py): lines of the file `notifications`.
  public func startDesktop() throws -> ChildProcess {
    try start("notifications.py", [folder("notifications")], ready: "notifications")
  }

  /// Starts a script beside this file; it is ready when it has made a file.
  private func start(
    _ script: String, _ arguments: [String], _ environment: [String: String?] = [:], ready: String
  ) throws -> ChildProcess {
    let path = String(#filePath.dropLast("PrivateBus.swift".count)) + script
    let process = try ChildProcess(["python3", "-B", path, folder("bus")] + arguments, environment: environment)
    guard waitUntil({ access(folder(ready), F_OK) == 0 }) else { throw ChildProcess.Failure(script, ENOENT) }
    return process
  }
}
