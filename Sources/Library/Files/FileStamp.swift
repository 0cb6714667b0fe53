internal import Glibc

/// The facts of a file that show whether it has changed.
struct FileStamp: Hashable, Sendable {
  var size: Int64
  /// Nanoseconds since 1970.
  var modified: Int64
  /// The time of the last change of content, name or permissions. Programs cannot set it.
  var changed: Int64
  var device: Int64
  var inode: Int64

  init(size: Int64, modified: Int64, changed: Int64, device: Int64, inode: Int64) {
    (self.size, self.modified, self.changed, self.device, self.inode) = (size, modified, changed, device, inode)
  }

  init(_ status: stat) {
    func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(time.tv_nsec)
    }
    self.init(
      size: Int64(status.st_size), modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim),
      device: Int64(truncatingIfNeeded: status.st_dev), inode: Int64(truncatingIfNeeded: status.st_ino))
  }

  /// Numbers of inodes may be any 64 bits, as those that FUSE file systems compute are.
  var identity: FileIdentity {
    FileIdentity(device: dev_t(truncatingIfNeeded: device), inode: ino_t(truncatingIfNeeded: inode))
  }

  /// True if both are the same file with the same content, perhaps under another name: a rename changes `changed`.
  func isSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode && size == other.size && modified == other.modified
  }
}
