internal import ByteIO
internal import Glibc

/// The identity of a file under all its names.
struct FileIdentity: Hashable {
  var device: dev_t
  var inode: ino_t

  init(device: dev_t, inode: ino_t) { (self.device, self.inode) = (device, inode) }

  /// `nil` for what is no folder.
  init?(ofFolder path: BytePath) {
    guard case .folder(let identity)? = FileKind(path) else { return nil }
    self = identity
  }
}

/// The kind of the file at a path. Follows links.
enum FileKind {
  case folder(FileIdentity)
  case file(FileIdentity, byteCount: Int64)
  /// A FIFO, a device.
  case other

  /// `nil`, with `errno` set, if there is no file, or a broken link.
  init?(_ path: BytePath) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    let identity = FileIdentity(device: status.st_dev, inode: status.st_ino)
    switch status.st_mode & S_IFMT {
    case S_IFDIR: self = .folder(identity)
    case S_IFREG: self = .file(identity, byteCount: Int64(status.st_size))
    default: self = .other
    }
  }
}

/// Calls `body` with each line of a file, without its end (CR, LF or both), until it returns false. Leaves out empty
/// lines and lines longer than 64 KiB, which no person wrote.
func forEachLine(of path: BytePath, _ body: (ArraySlice<UInt8>) -> Bool) throws(ByteIOError) {
  let source = try FileByteSource(path: path)
  var window = [UInt8](repeating: 0, count: 64 << 10)
  var (offset, pending, isTooLong) = (Int64(0), 0, false)
  while true {
    let count = try source.read(into: &window, from: pending, at: offset)
    offset += Int64(count)
    let end = pending + count
    var start = 0
    while start < end, let line = window.line(from: start, to: end) ?? (count == 0 ? start..<end : nil) {
      if !isTooLong, !line.isEmpty, !body(window[line]) { return }
      isTooLong = false
      start = line.upperBound + 1
    }
    guard count > 0 else { return }
    // The rest is the start of a line.
    pending = max(0, end - start)
    if pending == window.count { (pending, isTooLong) = (0, true) }
    for index in 0..<pending { window[index] = window[start + index] }
  }
}

extension [UInt8] {
  fileprivate func line(from start: Int, to end: Int) -> Range<Int>? {
    let newline = firstOffset(of: UInt8(ascii: "\n"), in: start..<end)
    let end = firstOffset(of: UInt8(ascii: "\r"), in: start..<(newline ?? end)) ?? newline
    return end.map { start..<$0 }
  }
}
