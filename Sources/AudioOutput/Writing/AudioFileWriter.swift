public import AudioModel
public import ByteIO
internal import Glibc

/// Writes PCM to a sound file: WAVE (RF64 from 4 GiB on), AIFF (AIFF-C for floats) or CAF. One owner at a time.
///
/// An existing file is replaced only on demand, only if it is a WAVE file, and only when the new one is complete
/// (`WAVEDestination`).
public final class AudioFileWriter {
  /// The layout of the samples that `write` takes.
  public let format: PCMFormat
  /// The number of frames in the file.
  public private(set) var frameCount: Int64 = 0
  private let layout: PCMFileLayout
  private let file: WAVEDestinationFile
  private var isOpen = true
  /// Samples in the format of the file.
  private var encoded: [UInt8] = []

  /// Creates a file at `path`. `type` is `wave`, `aiff`, `aifc` or `caf`.
  ///
  /// Throws `EINVAL` for other types and for formats that the type does not support, `EEXIST` for a file that may not
  /// be replaced, and the system's error if the file cannot be created.
  public init(
    path: BytePath, type: AudioFileTypeID = .wave, format: PCMFormat, replacesExisting: Bool = false
  ) throws(ByteIOError) {
    guard let layout = PCMFileLayout(type, format) else {
      throw ByteIOError(operation: "create", errno: EINVAL, detail: "no file of type '\(type)' holds \(format)")
    }
    let file = try WAVEDestination(path: path, replacesExisting: replacesExisting).open()
    guard lseek(file.descriptor, 0, SEEK_CUR) >= 0 else {
      file.discard()
      throw ByteIOError(operation: "create", errno: ESPIPE, detail: "a pipe cannot be completed; name a file")
    }
    (self.format, self.layout, self.file) = (format, layout, file)
    // Sizes that mean "to the end", until they are known.
    try put(layout.header(dataByteCount: nil), at: 0)
  }

  /// Removes an incomplete file, so that an old file stays.
  deinit { if isOpen { file.discard() } }

  /// Appends whole frames. Throws the system's error, or `EFBIG` beyond the largest size of the type.
  public func write(_ frames: UnsafeRawBufferPointer) throws(ByteIOError) { try write(frames, atFrame: frameCount) }

  /// Writes whole frames at a place and overwrites those that are there: for taps, whose frames may be rendered again.
  /// A gap between the end and that place is filled with silence.
  public func write(_ frames: UnsafeRawBufferPointer, atFrame frame: Int64) throws(ByteIOError) {
    let count = Int64(frames.count / format.bytesPerFrame)
    guard isOpen, 0...(1 << 40) ~= frame else { throw ByteIOError(operation: "write", errno: EBADF) }
    let end = max(frameCount, frame + count)
    guard end <= layout.maximumFrameCount else {
      throw ByteIOError(operation: "write", errno: EFBIG, detail: "this type of file ends at 4 GiB; use WAVE or CAF")
    }
    layout.encode(frames, into: &encoded)
    try put(encoded, at: Int64(layout.headerByteCount) + frame * Int64(layout.bytesPerFrame))
    frameCount = end
  }

  /// Completes the file: writes its sizes, and replaces an old file. Call it once.
  public func close() throws(ByteIOError) {
    guard isOpen else { return }
    isOpen = false
    let dataByteCount = frameCount * Int64(layout.bytesPerFrame)
    do throws(ByteIOError) {
      if dataByteCount & 1 == 1 { try put([0], at: Int64(layout.headerByteCount) + dataByteCount) }
      try put(layout.header(dataByteCount: dataByteCount), at: 0)
    } catch {
      file.discard()
      throw error
    }
    try file.keep()
  }

  private func put(_ bytes: [UInt8], at offset: Int64) throws(ByteIOError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(offset) + off_t(done))
      }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw ByteIOError(operation: "write", errno: errno, byteOffset: offset + Int64(done))
      }
    }
  }
}
