internal import ByteIO
internal import CSandbox
internal import Glibc

/// The files that may be changed: a Landlock ruleset (the kernel's Documentation/userspace-api/landlock.rst). Reading
/// is not restricted, because music can be anywhere.
///
/// Safety: the descriptor is opened once and closed at the end.
final class FileRules: Sendable {
  /// The kernel's version of Landlock; 2 in Debian 12.
  let version: Int
  private let descriptor: Int32

  /// Nil where the kernel has no Landlock.
  ///
  /// - Parameter ports: The TCP ports that may be listened at.
  init?(changeable: [BytePath], ports: [UInt16]) {
    version = segue_landlock_version()
    guard version >= 1 else { return nil }
    let known = Access.known(to: version)
    var rules = segue_landlock_rules(
      files: known.rawValue, network: version >= Access.firstVersionWithNetwork ? Access.bindTCP : 0)
    let byteCount = version >= Access.firstVersionWithNetwork ? 16 : 8
    descriptor = segue_landlock_create(&rules, byteCount)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    for path in changeable { allow(Access.changes.intersection(known), below: path) }
    // The terminal is opened again for output that never blocks.
    let terminals = (STDIN_FILENO...STDERR_FILENO).filter { isatty($0) == 1 }.map { "/proc/self/fd/\($0)" }
    for device in ["/dev/null", "/dev/tty", "/dev/snd"] + terminals {
      allow(Access.device.intersection(known), below: BytePath(device))
    }
    // PulseAudio shares memory here with servers that have no memfd.
    allow(Access.changes.intersection(known), below: BytePath("/dev/shm"))
    for port in ports where version >= Access.firstVersionWithNetwork {
      var rule = segue_landlock_port(allowed: Access.bindTCP, port: UInt64(port))
      _ = segue_landlock_allow_port(descriptor, &rule)
    }
  }

  deinit { close(descriptor) }

  /// Leaves out a path that does not exist.
  private func allow(_ access: Access, below path: BytePath) {
    let place = path.withCString { open($0, O_PATH | O_CLOEXEC) }
    guard place >= 0 else { return }
    defer { close(place) }
    var rule = segue_landlock_path(allowed: access.rawValue, descriptor: place)
    _ = segue_landlock_allow(descriptor, &rule)
  }

  /// Applies the rules to the calling thread and to those that it creates.
  func enter() -> Bool { segue_landlock_enter(descriptor) == 0 }

  private let O_PATH: Int32 = 0o10000000

  /// LANDLOCK_ACCESS_FS_... of include/uapi/linux/landlock.h.
  struct Access: OptionSet {
    let rawValue: UInt64

    static let execute = Access(rawValue: 1 << 0)
    static let writeFile = Access(rawValue: 1 << 1)
    /// Removing and making, of all kinds.
    static let names = Access(rawValue: 0x1ff0)
    static let refer = Access(rawValue: 1 << 13)
    static let truncate = Access(rawValue: 1 << 14)
    static let deviceControl = Access(rawValue: 1 << 15)

    /// Regular files and folders.
    static let changes: Access = [
      .writeFile, .truncate, .refer, Access(rawValue: 1 << 4), Access(rawValue: 1 << 5), Access(rawValue: 1 << 7),
      Access(rawValue: 1 << 8), Access(rawValue: 1 << 9),
    ]
    static let device: Access = [.writeFile, .truncate, .deviceControl]

    static let bindTCP: UInt64 = 1
    static let firstVersionWithNetwork = 4

    /// The rights that a version can restrict.
    static func known(to version: Int) -> Access {
      var access: Access = [.execute, .writeFile, .names]
      if version >= 2 { access.insert(.refer) }
      if version >= 3 { access.insert(.truncate) }
      if version >= 5 { access.insert(.deviceControl) }
      return access
    }
  }
}
