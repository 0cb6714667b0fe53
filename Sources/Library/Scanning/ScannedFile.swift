internal import ByteIO

/// A file for a scan, which reads its head several times: for tags, for packets, for the key of the audio. Its size is
/// looked up once, and the first 64 KiB are read once.
final class ScannedFile: ByteSource {
  private let file: FileByteSource
  private let head: [UInt8]
  let byteCount: Int64?
  private static let headByteCount = 1 << 16

  /// Opens a file as `FileByteSource` does.
  init(path: BytePath) throws(ByteIOError) {
    file = try FileByteSource(path: path)
    byteCount = file.byteCount
    var failure: ByteIOError?
    head = [UInt8](unsafeUninitializedCapacity: Self.headByteCount) { [file] buffer, count in
      do throws(ByteIOError) { count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard 0..<Int64(head.count) ~= offset else { return try file.read(into: buffer, at: offset) }
    return head.withUnsafeBytes { head in
      let part = head[Int(offset)...].prefix(buffer.count)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      return part.count
    }
  }
}
