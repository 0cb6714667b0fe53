public import AudioModel
public import ByteIO
internal import Glibc
internal import Threads

/// Writes a WAVE file, as fast as it gets frames: pauses take no time, and frames that a seek drops are not written.
///
/// A file has one format: a stream of another format fails. Safety: all state is under the monitor, which streams
/// share.
public final class WAVEFileOutput: AudioOutput, @unchecked Sendable {
  /// The path of the file, or `-`.
  public let path: BytePath
  private let monitor = Monitor()
  private var destination: WAVEDestination
  private var file: WAVEDestinationFile?
  /// True if the header is at the start of a file and can be written over: not in a pipe, nor behind other data.
  private var isRewritable = false
  private var hasFailed = false
  private var format: PCMFormat?
  private var dataByteCount: Int64 = 0

  /// An output that creates the file at `path` with its first stream; `-` is standard output.
  ///
  /// - Parameter replacesExisting: True if `close` may replace a WAVE file at `path`.
  public convenience init(path: BytePath, replacesExisting: Bool = false) {
    self.init(destination: WAVEDestination(path: path, replacesExisting: replacesExisting))
  }

  /// An output that opens `destination` with its first stream.
  public init(destination: WAVEDestination) {
    path = destination.path
    self.destination = destination
  }

  deinit { file?.discard() }

  /// Adds files that must not be overwritten. Throws if `path` is one of them, or may not be replaced.
  public func protect(_ inputs: [BytePath]) throws(ByteIOError) {
    let destination = monitor.locked {
      self.destination.inputs += inputs
      return self.destination
    }
    try destination.check()
  }

  /// Completes the file, which replaces an old one. Without this, or after an error, an old file stays unchanged.
  public func close() throws(ByteIOError) {
    let (file, isComplete, isInput) = monitor.locked {
      finish()
      defer { self.file = nil }
      return (self.file, !hasFailed, destination.isInput())
    }
    if file?.replacesExisting == true, isInput {
      file?.discard()
      throw ByteIOError(operation: "overwrite", errno: EEXIST, detail: "this file became an input")
    }
    if isComplete { try file?.keep() } else { file?.discard() }
  }

  /// Opens a stream that appends to the file. Its source receives `failed` (`cannotWrite`) if that is not possible.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let error = monitor.locked { begin(format) }
    let stream = WAVEFileStream(format: format, source: source, output: self, monitor: monitor)
    if let error { stream.fail(error) }
    return stream
  }

  /// Does nothing: samples are written unchanged.
  public func setVolume(_ volume: Double, isMuted: Bool) {}

  /// Does nothing.
  public func setTrack(title: String?, artist: String?) {}

  // MARK: Under the monitor

  private func begin(_ format: PCMFormat) -> AudioOutputError? {
    if let existing = self.format {
      guard existing != format else { return nil }
      return AudioOutputError(
        .cannotWrite, detail: "\(path) holds \(existing), and cannot continue with \(format)",
        advice: "write tracks of different formats to files of their own")
    }
    do throws(ByteIOError) { file = try destination.open() } catch { return failure(error) }
    self.format = format
    if let descriptor = file?.descriptor {
      isRewritable = lseek(descriptor, 0, SEEK_CUR) == 0 && fcntl(descriptor, F_GETFL) & O_APPEND == 0
    }
    return WAVEHeader.bytes(for: format, dataByteCount: nil).withUnsafeBytes { put($0) }
  }

  /// Appends samples in their format in memory.
  func append(_ samples: UnsafeMutableRawBufferPointer) -> AudioOutputError? {
    var bytes = UnsafeRawBufferPointer(samples)
    if format?.sampleFormat == .s24in32 { bytes = UnsafeRawBufferPointer(rebasing: pack(samples)) }
    dataByteCount += Int64(bytes.count)
    return put(bytes)
  }

  /// Writes the sizes into the header, if that is possible.
  func finish() {
    guard let format, let descriptor = file?.descriptor, isRewritable else { return }
    if dataByteCount % 2 == 1 { _ = [UInt8(0)].withUnsafeBytes { put($0) } }
    let header = WAVEHeader.bytes(for: format, dataByteCount: dataByteCount)
    _ = header.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    if dataByteCount % 2 == 1 { lseek(descriptor, -1, SEEK_END) }
  }

  /// Drops the high byte of each sample, in place.
  private func pack(_ samples: UnsafeMutableRawBufferPointer) -> Slice<UnsafeMutableRawBufferPointer> {
    for index in 0..<samples.count / 4 {
      for byte in 0..<3 { samples[index * 3 + byte] = samples[index * 4 + byte] }
    }
    return samples[..<(samples.count / 4 * 3)]
  }

  private func put(_ bytes: UnsafeRawBufferPointer) -> AudioOutputError? {
    guard let descriptor = file?.descriptor else {
      return failure(ByteIOError(operation: "write", errno: EBADF))
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return failure(ByteIOError(operation: "write", errno: errno))
      }
    }
    return nil
  }

  private func failure(_ error: ByteIOError) -> AudioOutputError {
    hasFailed = true
    return AudioOutputError(.cannotWrite, detail: "\(path): \(error)")
  }
}
