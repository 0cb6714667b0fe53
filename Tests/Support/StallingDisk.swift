internal import Glibc

/// A file system whose reads can be made to hang, as those of a network drive or a disk that sleeps (FUSE).
public final class StallingDisk: Sendable {
  /// The folder where its files are.
  public let mount: String
  private let stall: String
  private let process: ChildProcess

  /// True if this machine lets the tests mount one.
  public static var isAvailable: Bool { geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 }

  /// Mounts the files of a folder below another.
  public init(of files: String, in folder: TemporaryFolder) throws {
    (mount, stall) = (folder("disk"), folder("stall"))
    guard mkdir(mount, 0o700) == 0 else { throw ChildProcess.Failure(mount, errno) }
    let script = String(#filePath.dropLast("StallingDisk.swift".count)) + "stallingdisk.py"
    // The system's Python has Debian's modules.
    process = try ChildProcess(["/usr/bin/python3", script, files, mount, stall])
    let device = Self.device(of: folder.path)
    guard waitUntil({ Self.device(of: mount) != device }) else { throw ChildProcess.Failure("stallingdisk.py", ENOENT) }
  }

  deinit {
    answer()
    _ = try? ChildProcess(["umount", "-l", mount]).wait()
    process.end()
  }

  /// Reads hang from now on; `everything`: opening files and asking about them, too.
  public func hang(everything: Bool = false) throws {
    try write(Array((everything ? "all" : "reads").utf8), to: stall + ".new")
    rename(stall + ".new", stall)
  }

  /// Reads continue.
  public func answer() { unlink(stall) }

  private static func device(of path: String) -> dev_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_dev : 0
  }
}
