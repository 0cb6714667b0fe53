import ByteIO

/// Bytes in memory, their number told or not.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  let byteCount: Int64?

  init(_ bytes: [UInt8], byteCount: Int64?) { (self.bytes, self.byteCount) = (bytes, byteCount) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset >= 0, offset < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
    return count
  }
}
