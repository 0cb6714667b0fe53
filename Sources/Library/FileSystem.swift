internal import ByteIO
internal import Glibc

/// What tells one file from all others, whatever it is called.
struct FileIdentity: Hashable {
  var device: dev_t
  var inode: ino_t
}

/// What lies at a path, links followed.
enum FileKind {
  case folder(FileIdentity)
  case file(FileIdentity)
  /// A FIFO, a device.
  case other

  /// `nil`, with `errno`, where there is nothing, or a link that leads nowhere.
  init?(_ path: BytePath) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    let identity = FileIdentity(device: status.st_dev, inode: status.st_ino)
    switch status.st_mode & S_IFMT {
    case S_IFDIR: self = .folder(identity)
    case S_IFREG: self = .file(identity)
    default: self = .other
    }
  }
}

/// The names in a folder that are not hidden, in no order (`readdir(3)`).
func namesInFolder(_ folder: BytePath) throws(ByteIOError) -> [[UInt8]] {
  guard let stream = folder.withCString({ opendir($0) }) else { throw ByteIOError(operation: "open", errno: errno) }
  defer { closedir(stream) }
  var names: [[UInt8]] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else { break }
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      UnsafeRawBufferPointer(start: $0, count: strnlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), 256))
    }
    if name.first != UInt8(ascii: ".") { names.append(Array(name)) }
  }
  guard errno == 0 else { throw ByteIOError(operation: "read", errno: errno) }
  return names
}

/// Calls `body` with each line of a file, without its end (CR, LF or both; so empty lines are left out), until it
/// returns false. A line longer than 64 KiB is no line that anyone wrote: it is left out.
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
    // What is left is the start of a line.
    pending = max(0, end - start)
    if pending == window.count { (pending, isTooLong) = (0, true) }
    for index in 0..<pending { window[index] = window[start + index] }
  }
}

/// The bytes of a file, no more than `byteLimit` of them.
func wholeFile(_ path: BytePath, byteLimit: Int) throws(ByteIOError) -> [UInt8] {
  let source = try FileByteSource(path: path)
  var bytes = [UInt8](repeating: 0, count: Int(min(Int64(byteLimit), source.byteCount ?? 0)))
  var count = 0
  while count < bytes.count, case let more = try source.read(into: &bytes, from: count, at: Int64(count)), more > 0 {
    count += more
  }
  bytes.removeLast(bytes.count - count)
  return bytes
}

extension FileByteSource {
  fileprivate func read(into window: inout [UInt8], from start: Int, at offset: Int64) throws(ByteIOError) -> Int {
    // Typed throws do not pass through `withUnsafeMutableBytes`: carry the outcome out by hand.
    let outcome = window.withUnsafeMutableBytes { buffer -> Result<Int, ByteIOError> in
      do throws(ByteIOError) {
        return .success(try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]), at: offset))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}

extension [UInt8] {
  fileprivate func line(from start: Int, to end: Int) -> Range<Int>? {
    let newline = firstOffset(of: UInt8(ascii: "\n"), in: start..<end)
    let end = firstOffset(of: UInt8(ascii: "\r"), in: start..<(newline ?? end)) ?? newline
    return end.map { start..<$0 }
  }
}
