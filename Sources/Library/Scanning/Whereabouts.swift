internal import ByteIO
internal import Glibc

/// The state of a known file that a scan has not found at its place.
enum Whereabouts {
  /// A file is at its path, or the system does not say.
  case there(FileIdentity?)
  /// It is gone, although its root and its disk are there: another place may take it.
  case left
  /// It is gone with its root or its disk, which may come back.
  case away

  /// Looks at the path of a known file.
  ///
  /// - Parameter disk: The device of the file. Without one, its absence alone decides.
  init(of path: BytePath, below root: BytePath, disk: Int64?) {
    var status = stat()
    let path = MediaLocation(libraryPath: path).fileOnDisk ?? path
    func isThere(_ path: BytePath) -> Bool? {
      if path.withCString({ stat($0, &status) }) == 0 { return true }
      return errno == ENOENT || errno == ENOTDIR ? false : nil
    }
    switch isThere(path) {
    case true?: self = .there(FileStamp(status).identity)
    case nil: self = .there(nil)
    case false?:
      var folder = path.parent
      while disk != nil, folder.isBelow(root), isThere(folder) == false { folder = folder.parent }
      let isOnDisk = disk == nil || isThere(folder) == true && FileStamp(status).device == disk
      self = isOnDisk ? .left : .away
    }
  }

  /// True if two paths that lead to the same file are two names of it (link(2)), and the first one leads through no
  /// symbolic link to the file or to its folder.
  static func areTwoNames(_ path: BytePath, _ other: BytePath) -> Bool {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else {
      return false
    }
    guard path.lastComponent == other.lastComponent, case .folder(let folder)? = FileKind(path.parent),
      case .folder(let otherFolder)? = FileKind(other.parent)
    else { return true }
    return folder != otherFolder
  }
}
