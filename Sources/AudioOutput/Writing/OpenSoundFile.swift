internal import ByteIO
internal import Glibc

/// A sound file that is being written.
struct OpenSoundFile {
  private let file: WAVEDestinationFile
  /// True if bytes can be written over: a file, not a pipe.
  let isRewritable: Bool
  /// True if an old file stays until `keep`.
  var replacesExisting: Bool { file.replacesExisting }

  init(_ destination: WAVEDestination) throws(ByteIOError) {
    file = try destination.open()
    isRewritable = destination.path != BytePath("-") && lseek(file.descriptor, 0, SEEK_CUR) == 0
  }

  /// Writes bytes at an offset; to a pipe, behind those before.
  func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ByteIOError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count =
        isRewritable
        ? pwrite(file.descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
        : write(file.descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw ByteIOError(operation: "write", errno: errno, byteOffset: offset + Int64(done))
      }
    }
  }

  func put(_ bytes: [UInt8], at offset: Int64) throws(ByteIOError) {
    // Typed throws do not pass through `withUnsafeBytes` of an array.
    try bytes.withUnsafeBytes { buffer in Result { () throws(ByteIOError) in try put(buffer, at: offset) } }.get()
  }

  /// Closes the complete file, which replaces an old one.
  func keep() throws(ByteIOError) { try file.keep() }

  /// Closes the incomplete file. An old one stays unchanged.
  func discard() { file.discard() }
}

extension [UInt8] {
  /// Adds a number, high byte first.
  mutating func append<Number: FixedWidthInteger>(big number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
