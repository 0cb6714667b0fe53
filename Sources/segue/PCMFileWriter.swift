internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Glibc

/// Writes samples to a file or to standard output (`-`), with a WAVE header or without.
struct PCMFileWriter: ~Copyable {
  private let file: FileWriter
  private let format: PCMFormat
  private let isRaw: Bool
  /// Whether the header can be written again when its sizes are known: a file of our own, not a pipe.
  private let isRewritable: Bool
  private var dataByteCount: Int64 = 0
  /// 24-bit samples without their fourth byte.
  private var packed: [UInt8] = []

  /// Opens `path` anew. Refuses to write over `input`.
  init(_ path: BytePath, format: PCMFormat, isRaw: Bool, input: BytePath) throws(ByteIOError) {
    let isStandardOutput = path == BytePath("-")
    let file = FileWriter(descriptor: isStandardOutput ? STDOUT_FILENO : try create(path, butNot: input))
    (self.file, self.format, self.isRaw) = (file, format, isRaw)
    isRewritable = !isStandardOutput && lseek(file.descriptor, 0, SEEK_CUR) == 0
  }

  deinit { if file.descriptor != STDOUT_FILENO { close(file.descriptor) } }

  /// Writes the header, if there is to be one, with sizes that mean "to the end".
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

  /// Completes the file: pads it to an even length and writes the sizes into the header.
  mutating func finish() throws(ByteIOError) {
    guard !isRaw else { return }
    if dataByteCount & 1 == 1 { try file.write([0]) }
    guard isRewritable, lseek(file.descriptor, 0, SEEK_SET) == 0 else { return }
    try file.write(WAVEHeader.bytes(for: format, dataByteCount: dataByteCount))
  }
}

/// An empty file for writing, which must not be the one that is read.
private func create(_ path: BytePath, butNot input: BytePath) throws(ByteIOError) -> Int32 {
  var (existing, read) = (stat(), stat())
  let isSame =
    path.withCString { stat($0, &existing) } == 0 && input.withCString { stat($0, &read) } == 0
    && existing.st_dev == read.st_dev && existing.st_ino == read.st_ino
  // The word of cp(1) and others for it is "same file"; the system has no number for that.
  if isSame { throw ByteIOError(operation: "write over the input", errno: EINVAL) }
  let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
  guard descriptor >= 0 else { throw ByteIOError(operation: "create", errno: errno) }
  return descriptor
}
