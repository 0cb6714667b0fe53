internal import ByteIO

extension ByteSource {
  /// Reads bytes from `offset` on into `bytes[start...]`. Returns how many came: 0 only at the end.
  func read(into bytes: inout [UInt8], from start: Int, at offset: Int64) throws(ContainerError) -> Int {
    // Typed throws do not pass through the closure: carry the outcome out by hand.
    let outcome = bytes.withUnsafeMutableBytes { buffer -> Result<Int, ByteIOError> in
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
      do throws(ByteIOError) {
        return .success(max(0, min(rest.count, try read(into: rest, at: offset))))
      } catch {
        return .failure(error)
      }
    }
    do { return try outcome.get() } catch { throw ContainerError(error) }
  }

  /// The bytes from `offset` on, fewer than `byteCount` only where they end.
  func bytes(at offset: Int64, byteCount: Int) throws(ContainerError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var filled = 0
    while filled < byteCount {
      let count = try read(into: &bytes, from: filled, at: offset + Int64(filled))
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(byteCount - filled)
    return bytes
  }
}
