internal import ByteIO
internal import Glibc

// libavformat copies pictures and does not say where they were.
extension LibavAudioFile {
  /// The place of a run of bytes in the source before `end`; `nil` if it does not lie there in one piece.
  func offset(of bytes: UnsafeBufferPointer<UInt8>, before end: Int64) throws(LibavError) -> Int64? {
    guard end <= Self.maximumHeaderByteCount else { return nil }
    let header = try Self.firstBytes(Int(end), of: source)
    guard let first = bytes.first else { return nil }
    var start = 0
    while let place = header.firstOffset(of: first, in: start..<header.count), place + bytes.count <= header.count {
      if header[place..<(place + bytes.count)].elementsEqual(bytes) { return Int64(place) }
      start = place + 1
    }
    return nil
  }

  private static var maximumHeaderByteCount: Int64 { 16 << 20 }

  /// The first bytes of a source, or those behind a place.
  static func firstBytes(
    _ byteCount: Int, of source: any ByteSource, from start: Int64 = 0
  ) throws(LibavError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var filled = 0
    while filled < byteCount {
      let offset = start + Int64(filled)
      let outcome = bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(ByteIOError) in
          try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: offset)
        }
      }
      do throws(ByteIOError) {
        let count = try outcome.get()
        if count == 0 { break }
        filled += count
      } catch { throw LibavError(.source, "cannot \(error.operation): \(error.reason)", at: offset, cause: error) }
    }
    bytes.removeLast(byteCount - filled)
    return bytes
  }
}
