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
  /// True if an old file stays until `close`.
  public var replacesExisting: Bool { file.replacesExisting }
  private let layout: PCMFileLayout
  private let headerByteCount: Int64
  private let file: OpenSoundFile
  private var isOpen = true
  /// Samples in the format of the file.
  private var encoded: [UInt8] = []

  /// Creates a file at `path`. `type` is `wave`, `aiff`, `aifc` or `caf`.
  ///
  /// Throws `EINVAL` for other types and for formats that the type does not support, `EEXIST` for a file that may not
  /// be replaced, and the system's error if the file cannot be created.
  public convenience init(
    path: BytePath, type: AudioFileTypeID = .wave, format: PCMFormat, replacesExisting: Bool = false
  ) throws(ByteIOError) {
    try self.init(WAVEDestination(path: path, replacesExisting: replacesExisting), type: type, format: format)
  }

  /// Creates a file, or writes to a pipe: WAVE and CAF only, with sizes that mean "to the end", and in order. Without a
  /// type the samples are written alone. Throws as the other initializer.
  public init(_ destination: WAVEDestination, type: AudioFileTypeID?, format: PCMFormat) throws(ByteIOError) {
    guard let layout = PCMFileLayout(type, format) else {
      let name = type.map { "of type '\($0)'" } ?? ""
      throw ByteIOError(operation: "create", errno: EINVAL, detail: "no file \(name) holds \(format)")
    }
    let (file, header) = (try OpenSoundFile(destination), layout.header(dataByteCount: nil))
    (self.format, self.layout, self.file, headerByteCount) = (format, layout, file, Int64(header.count))
    guard file.isRewritable || layout.canBePiped else {
      throw ByteIOError(operation: "create", errno: ESPIPE, detail: "a pipe cannot be completed; choose WAVE or CAF")
    }
    try file.put(header, at: 0)
  }

  /// Removes an incomplete file, so that an old file stays.
  deinit { if isOpen { file.discard() } }

  /// Appends whole frames. Throws the system's error, or `EFBIG` beyond the largest size of the type.
  public func write(_ frames: UnsafeRawBufferPointer) throws(ByteIOError) { try write(frames, atFrame: frameCount) }

  /// Writes whole frames at a place and overwrites those that are there: for taps, whose frames may be rendered again.
  /// A gap between the end and that place is filled with silence. Throws `ESPIPE` for any place but the end of a pipe.
  public func write(_ frames: UnsafeRawBufferPointer, atFrame frame: Int64) throws(ByteIOError) {
    let count = Int64(frames.count / format.bytesPerFrame)
    guard isOpen, 0...(1 << 40) ~= frame else { throw ByteIOError(operation: "write", errno: EBADF) }
    guard frame == frameCount || file.isRewritable else { throw ByteIOError(operation: "write", errno: ESPIPE) }
    let end = max(frameCount, frame + count)
    guard end <= layout.maximumFrameCount else {
      throw ByteIOError(operation: "write", errno: EFBIG, detail: "this type of file ends at 4 GiB; use WAVE or CAF")
    }
    let offset = headerByteCount + frame * Int64(layout.bytesPerFrame)
    if layout.isAsInMemory {
      try file.put(frames, at: offset)
    } else {
      layout.encode(frames, into: &encoded)
      try file.put(encoded, at: offset)
    }
    frameCount = end
  }

  /// Completes the file: writes its sizes, and replaces an old file. Call it once.
  public func close() throws(ByteIOError) {
    guard isOpen else { return }
    isOpen = false
    let dataByteCount = frameCount * Int64(layout.bytesPerFrame)
    do throws(ByteIOError) {
      if layout.padsToEven, dataByteCount & 1 == 1 { try file.put([0], at: headerByteCount + dataByteCount) }
      if file.isRewritable { try file.put(layout.header(dataByteCount: dataByteCount), at: 0) }
    } catch {
      file.discard()
      throw error
    }
    try file.keep()
  }

  /// Ends without a complete file. An old one stays unchanged.
  public func discard() {
    if isOpen { file.discard() }
    isOpen = false
  }
}
