internal import AudioModel
public import ByteIO
public import SignalProcessing

extension MeasuredLoudness {
  /// Decodes a file to measure it, all links of a chained stream. Returns `nil` if it was cancelled. Blocks until it is
  /// done; any thread.
  ///
  /// - Parameter isWanted: Called for every 0.1 s of the track; false cancels.
  /// - Throws: The reason why it cannot be decoded, at all or to its end.
  public static func read(_ location: MediaLocation, isWanted: () -> Bool) throws(TrackError) -> MeasuredLoudness? {
    var loudness = MeasuredLoudness()
    var reader = try TrackReader(location: location, via: .file, sampleFormat: .f32)
    while true {
      guard let part = try read(reader, isWanted) else { return nil }
      loudness.add(part)
      guard let next = try TrackReader(behind: reader, sampleFormat: .f32) else { return loudness }
      reader = next
    }
  }

  private static func read(_ reader: TrackReader, _ isWanted: () -> Bool) throws(TrackError) -> MeasuredLoudness? {
    let frames = min(max(1, reader.pcmFormat.sampleRate / 10), 1 << 16)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: frames * reader.pcmFormat.bytesPerFrame, alignment: 16)
    defer { buffer.deallocate() }
    let meter = LoudnessMeter(format: reader.pcmFormat)
    var isEmpty = true
    while isWanted() {
      let count = try reader.read(into: buffer)
      if count == 0, isEmpty, let damage = reader.damage { throw .nothingDecodable(damage) }
      if count == 0 { return meter.result }
      isEmpty = false
      meter.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return nil
  }
}
