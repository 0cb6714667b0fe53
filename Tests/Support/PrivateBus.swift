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
    let script = String(#filePath.dropLast("PrivateBus.swift".count)) + "logind.py"
    let logind = try ChildProcess(
      ["python3", script, folder("bus"), folder("ready"), folder("asleep")] + command, environment: environment)
    guard waitUntil({ access(folder("ready"), F_OK) == 0 }) else { throw ChildProcess.Failure("logind.py", ENOENT) }
    return logind
  }
}
