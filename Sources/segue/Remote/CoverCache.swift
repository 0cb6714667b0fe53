internal import ByteIO
internal import Glibc
internal import Library
internal import Player

/// Files with the covers of tags, for programs that open files only: one per picture, the latest few.
struct CoverCache {
  let folder: BytePath

  private static let limit = 16

  /// The file with this cover, written if it does not exist. Blocks as long as the disk does.
  func file(of cover: Cover) throws(ByteIOError) -> BytePath {
    let path = folder.appending(BytePath("\(hash(cover.bytes)).\(cover.format.fileExtension)"))
    // A file that is used again is new again.
    if path.withCString({ utimensat(AT_FDCWD, $0, nil, 0) }) == 0 { return path }
    try SmallFile.write(cover.bytes, to: path, isFinal: false)
    removeOld()
    return path
  }

  private func removeOld() {
    guard let names = try? namesInFolder(folder), names.count > Self.limit else { return }
    let files = names.map { name in
      let path = folder.appending(BytePath(name))
      var status = stat()
      _ = path.withCString { stat($0, &status) }
      return (path: path, seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
    let newestFirst = files.sorted { ($0.seconds, $0.nanoseconds) > ($1.seconds, $1.nanoseconds) }
    for file in newestFirst.dropFirst(Self.limit) { SmallFile.remove(file.path) }
  }

  /// FNV-1a, in hexadecimal digits.
  private func hash(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}
