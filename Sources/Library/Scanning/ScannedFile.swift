internal import ByteIO
internal import Glibc

/// A file for a scan, which reads its head several times: for tags, for packets, for the key of the audio. Its size is
/// looked up once, and the first 64 KiB are read once.
final class ScannedFile: ByteSource {
  /// Memory for the head of one file after the other: the system need not give and take it for each.
  ///
  /// Safety: used on one thread.
  final class HeadBuffer: @unchecked Sendable {
    fileprivate var failure: ByteIOError?
    fileprivate let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    deinit { bytes.deallocate() }
  }

  private let file: FileByteSource
  private let head: HeadBuffer
  private let headCount: Int
  let byteCount: Int64?
  /// The last read that the system refused; of the file that was opened last with the same memory.
  var failure: ByteIOError? { head.failure }

  /// Opens a file that the walk has found. Its head stays in `head` until the next file is opened with it.
  init(path: BytePath, head: HeadBuffer) throws(ByteIOError) {
    file = try FileByteSource(regularFile: path)
    byteCount = file.byteCount
    self.head = head
    head.failure = nil
    headCount = try file.read(into: head.bytes, at: 0)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard 0..<Int64(headCount) ~= offset else {
      let isBehindEnd = headCount < head.bytes.count && offset >= headCount
      return isBehindEnd ? 0 : try readFile(into: buffer, at: offset)
    }
    let part = head.bytes[Int(offset)..<headCount].prefix(buffer.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    return part.count
  }

  private func readFile(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(ByteIOError) -> Int {
    do throws(ByteIOError) { return try file.read(into: buffer, at: offset) } catch {
      // A damaged file may name an impossible offset.
      if error.errno != EINVAL { head.failure = error }
      throw error
    }
  }
}
