public import ByteIO
internal import CGlibcExtras
internal import Glibc

/// The program that has started this one as a service (sd_notify(3), sd_listen_fds(3)).
public enum ServiceManager {
  /// The socket that it names to its services, if any. Names that no file has are not supported: managers of users have
  /// a file.
  public static var socket: BytePath? {
    guard let name = getenv("NOTIFY_SOCKET"), name[0] != 0 else { return nil }
    return BytePath(UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) })
  }

  /// The sockets that it listens at and has passed to this program, as far as they are streams with a name. It keeps
  /// their files.
  ///
  /// Call this once and before other threads exist: the variables that name the sockets are removed, because they are for
  /// this process only.
  public static func takeListeners() -> [LocalListener] {
    let (process, count) = (integer("LISTEN_PID"), integer("LISTEN_FDS") ?? 0)
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    guard process == Int(getpid()) else { return [] }
    return (0..<max(0, min(count, 256))).compactMap { LocalListener(passed: firstPassed + CInt($0)) }
  }

  /// SD_LISTEN_FDS_START
  private static let firstPassed: CInt = 3

  private static func integer(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

  /// Tells it that this program does its work from now on.
  public static func notifyReady(at path: BytePath) {
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | SEGUE_SOCK_CLOEXEC | CInt(O_NONBLOCK), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let text = Array("READY=1".utf8)
    _ = LocalListener.withAddress(path) {
      CInt(truncatingIfNeeded: sendto(descriptor, text, text.count, CInt(MSG_NOSIGNAL), $0, $1))
    }
  }
}
