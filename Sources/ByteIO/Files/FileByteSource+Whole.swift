extension ByteSource {
  /// Reads into `bytes[start...]` as `read(into:at:)`.
  public func read(into bytes: inout [UInt8], from start: Int = 0, at offset: Int64) throws(ByteIOError) -> Int {
    var span = bytes.mutableSpan
    return try span.withUnsafeMutableBytes { (buffer) throws(ByteIOError) in
      try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]), at: offset)
    }
  }
}

extension FileByteSource {
  /// The bytes from an offset on: `byteCount` of them, or all that there are. Blocks; any thread.
  public func bytes(from offset: Int64 = 0, byteCount: Int) throws(ByteIOError) -> [UInt8] {
    let left = max(0, (self.byteCount ?? 0) - max(0, offset))
    var bytes = [UInt8](repeating: 0, count: Int(min(Int64(max(0, byteCount)), left)))
    var count = 0
    while count < bytes.count, case let more = try read(into: &bytes, from: count, at: offset + Int64(count)), more > 0
    {
      count += more
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

/// The bytes of a file, no more than `byteLimit` of them. Blocks; any thread.
public func wholeFile(_ path: BytePath, byteLimit: Int) throws(ByteIOError) -> [UInt8] {
  try FileByteSource(path: path).bytes(byteCount: byteLimit)
}
