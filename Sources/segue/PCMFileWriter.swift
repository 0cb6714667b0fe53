internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Glibc
internal import Player

/// Writes samples to a file or to standard output (`-`), with a WAVE header or without.
struct PCMFileWriter: ~Copyable {
  private let opened: WAVEDestinationFile
  private let file: FileWriter
  private let format: PCMFormat
  private let isRaw: Bool
  /// True if the header can be rewritten with the final sizes: a regular file, not a pipe.
  private let isRewritable: Bool
  private var dataByteCount: Int64 = 0
  /// 24-bit samples without their fourth byte.
  private var packed: [UInt8] = []

  /// Opens a destination, which refuses to replace protected files.
  init(_ destination: WAVEDestination, format: PCMFormat, isRaw: Bool) throws(ByteIOError) {
    let opened = try destination.open()
    let file = FileWriter(descriptor: opened.descriptor)
    (self.opened, self.file, self.format, self.isRaw) = (opened, file, format, isRaw)
    isRewritable = destination.path != BytePath("-") && lseek(file.descriptor, 0, SEEK_CUR) == 0
  }

  /// Writes the header, if wanted, with sizes that mean "to the end".
  func begin() throws(ByteIOError) {
    if !isRaw { try file.write(WAVEHeader.bytes(for: format, dataByteCount: nil)) }
  }

  /// Adds whole frames.
  mutating func write(_ samples: UnsafeRawBufferPointer) throws(ByteIOError) {
    if format.sampleFormat == .s24in32 {
      packed.removeAll(keepingCapacity: true)
      for offset in stride(from: 0, to: samples.count, by: 4) { packed += samples[offset..<(offset + 3)] }
      try file.write(packed)
      dataByteCount += Int64(packed.count)
    } else {
      try file.write(samples)
      dataByteCount += Int64(samples.count)
    }
  }

  /// Completes the file: pads it to an even length, writes the sizes into the header, and replaces an old file.
  consuming func finish() throws(ByteIOError) {
    do throws(ByteIOError) { try complete() } catch {
      opened.discard()
      throw error
    }
    try opened.keep()
  }

  /// Deletes an incomplete file. An old file stays unchanged.
  consuming func discard() { opened.discard() }

  private func complete() throws(ByteIOError) {
    guard !isRaw else { return }
    if dataByteCount & 1 == 1 { try file.write([0]) }
    guard isRewritable, lseek(file.descriptor, 0, SEEK_SET) == 0 else { return }
    try file.write(WAVEHeader.bytes(for: format, dataByteCount: dataByteCount))
  }
}
