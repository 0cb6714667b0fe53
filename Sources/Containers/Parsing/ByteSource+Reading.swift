internal import ByteIO

extension ByteSource {
  /// Reads bytes from `offset` on into `buffer[start...]`. Returns how many came: 0 only at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, from start: Int, at offset: Int64
  ) throws(ContainerError) -> Int {
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
    do throws(ByteIOError) { return max(0, min(rest.count, try read(into: rest, at: offset))) } catch {
      throw ContainerError(error)
    }
  }

  /// The bytes from `offset` on, fewer than `byteCount` only where they end.
  func bytes(at offset: Int64, byteCount: Int) throws(ContainerError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var filled = 0
    while filled < byteCount {
      var span = bytes.mutableSpan
      let count = try span.withUnsafeMutableBytes { (buffer) throws(ContainerError) in
        try read(into: buffer, from: filled, at: offset + Int64(filled))
      }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(byteCount - filled)
    return bytes
  }
}
