internal import ByteIO
internal import Glibc

/// The state of a known file that a scan has not found at its place.
enum Whereabouts {
  /// Another file is at its path, or the system does not say.
  case there
  /// It is gone, although its root and its disk are there: another place may take it.
  case left
  /// It is gone with its root or its disk, which may come back.
  case away

  /// Looks at the path of a known file.
  ///
  /// - Parameters:
  ///   - disk: The device of the file. Without one, its absence alone decides.
  ///   - found: A file that was found elsewhere. A link may lead from the path to it: then the file has left.
  init(of path: BytePath, below root: BytePath, disk: Int64?, found: FileStamp) {
    var status = stat()
    func isThere(_ path: BytePath) -> Bool? {
      if path.withCString({ stat($0, &status) }) == 0 { return true }
      return errno == ENOENT || errno == ENOTDIR ? false : nil
    }
    switch isThere(path) {
    case true?: self = FileStamp(status).identity == found.identity ? .left : .there
    case nil: self = .there
    case false?:
      var folder = path.parent
      while disk != nil, folder.isBelow(root), isThere(folder) == false { folder = folder.parent }
      let isOnDisk = disk == nil || isThere(folder) == true && FileStamp(status).device == disk
      self = isOnDisk ? .left : .away
    }
  }
}
