internal import ByteIO
internal import Glibc
internal import Library

/// Files with the covers of tags, for programs that open files only: one per picture, the latest few. They may lie in
/// memory.
struct CoverCache {
  let folder: BytePath

  private static let countLimit = 16
  private static let byteLimit: Int64 = 32 << 20

  /// The file with this cover, written if it does not exist. Blocks as long as the disk does.
  func file(of cover: Cover) throws(ByteIOError) -> BytePath {
    let path = folder.appending(BytePath("\(cover.bytes.fnvDigits()).\(cover.format.fileExtension)"))
    // A file that is used again is new again.
    if path.withCString({ utimensat(AT_FDCWD, $0, nil, 0) }) == 0 { return path }
    try SmallFile.write(cover.bytes, to: path, isFinal: false)
    removeOld()
    return path
  }

  private func removeOld() {
    guard let names = try? namesInFolder(folder) else { return }
    let files = names.map { name in
      let path = folder.appending(BytePath(name))
      var status = stat()
      _ = path.withCString { lstat($0, &status) }
      return (path: path, status: status)
    }
    let newestFirst = files.sorted {
      let (one, other) = ($0.status.st_mtim, $1.status.st_mtim)
      return (one.tv_sec, one.tv_nsec) > (other.tv_sec, other.tv_nsec)
    }
    var (count, byteCount) = (0, Int64(0))
    for file in newestFirst {
      (count, byteCount) = (count + 1, byteCount + Int64(file.status.st_size))
      if count > Self.countLimit || byteCount > Self.byteLimit { file.path.removeFile() }
    }
  }
}
