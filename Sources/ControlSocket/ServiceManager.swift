public import ByteIO
internal import CGlibcExtras
internal import Glibc

/// The program that has started this one as a service (sd_notify(3)).
public enum ServiceManager {
  /// The socket that it names to its services, if any. Names that no file has are not supported: managers of users have
  /// a file.
  public static var socket: BytePath? {
    guard let name = getenv("NOTIFY_SOCKET"), name[0] != 0 else { return nil }
    return BytePath(UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) })
  }

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
