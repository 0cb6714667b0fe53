internal import ByteIO

extension ByteSource {
  /// Reads what follows `bytes`, which were read from `offset` on, until they are `byteCount` at most. Returns how many
  /// came: 0 only at the end.
  func append(to bytes: inout [UInt8], upTo byteCount: Int, at offset: Int64) throws(ContainerError) -> Int {
    let present = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: byteCount - present))
    let outcome = bytes.withUnsafeMutableBytes { buffer -> Result<Int, ByteIOError> in
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[present...])
      do throws(ByteIOError) {
        return .success(max(0, min(rest.count, try read(into: rest, at: offset + Int64(present)))))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let count):
      bytes.removeLast(byteCount - present - count)
      return count
    case .failure(let error):
      bytes.removeLast(byteCount - present)
      throw ContainerError(error)
    }
  }

  /// The bytes from `offset` on, fewer than `byteCount` only where they end.
  func bytes(at offset: Int64, byteCount: Int) throws(ContainerError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < byteCount {
      if try append(to: &bytes, upTo: byteCount, at: offset) == 0 { break }
    }
    return bytes
  }
}
