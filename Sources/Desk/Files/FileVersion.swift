internal import ByteIO
internal import Glibc

/// Tells a file from the one that took its place: every change makes a new file.
struct FileVersion: Sendable, Hashable {
  private var size, seconds, nanoseconds, inode: Int

  /// `nil` if there is no file.
  init?(_ path: BytePath) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    (size, inode) = (status.st_size, Int(truncatingIfNeeded: status.st_ino))
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
