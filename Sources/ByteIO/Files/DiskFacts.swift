internal import CGlibcExtras
internal import Glibc

/// The disk of a file or folder.
public struct DiskFacts: Hashable, Sendable {
  /// The number of the device (`stat(2)`), which may change with a restart.
  public var device: Int64
  /// The number of the file system (`statfs(2)`), which mostly stays the same after a restart.
  public var filesystem: Int64
  /// True if the files are on another computer, or a program of the user provides them (FUSE).
  public var isRemote: Bool

  /// A disk by the numbers of `stat(2)` and `statfs(2)`.
  public init(device: Int64, filesystem: Int64, isRemote: Bool = false) {
    (self.device, self.filesystem, self.isRemote) = (device, filesystem, isRemote)
  }

  /// The disk of a path. Blocks; any thread.
  public init(of path: BytePath) throws(ByteIOError) {
    var status = stat()
    var facts = segue_statfs()
    guard path.withCString({ stat($0, &status) }) == 0, path.withCString({ segue_statfs($0, &facts) }) == 0 else {
      throw ByteIOError(operation: "open", errno: errno)
    }
    device = Int64(truncatingIfNeeded: status.st_dev)
    filesystem = facts.filesystem
    isRemote = Self.remoteTypes.contains(UInt32(truncatingIfNeeded: facts.type))
  }

  /// statfs(2): NFS, SMB, CIFS, SMB2, FUSE, AFS, Ceph, 9P.
  private static let remoteTypes: Set<UInt32> = [
    0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x5346_414f, 0x00c3_6400, 0x0102_1997,
  ]
}
