internal import AudioModel
public import ByteIO
public import Streaming

extension Waveform {
  /// The duration in seconds from which on samples of 0.3 s are measured instead of the whole track.
  private static let wholeLimit = 1200.0
  private static let pointCount: Int64 = 1024

  /// Decodes an input to measure it. Returns `nil` if it was cancelled or has nothing to measure. Blocks until it is
  /// done; any thread. A network stream is measured only if all of it has arrived.
  ///
  /// - Parameter isWanted: Called for every 0.1 s of the track; false cancels.
  public static func read(
    _ location: MediaLocation, network: Network? = nil, isWanted: () -> Bool
  ) throws(TrackError) -> Waveform? {
    guard let reader = try reader(of: location, network), reader.pcmFormat.sampleFormat == .s16 else { return nil }
    let frames = min(max(1, reader.pcmFormat.sampleRate / 10), 1 << 16)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: frames * reader.pcmFormat.bytesPerFrame, alignment: 16)
    defer { buffer.deallocate() }
    if let duration = reader.information.duration, wholeLimit..<1e9 ~= duration {
      return try readPoints(reader, Int64(duration * Double(reader.pcmFormat.sampleRate)), buffer, isWanted)
    }
    var meter = WaveformMeter()
    while isWanted() {
      let samples = try readSamples(reader, buffer)
      if samples.isEmpty { return meter.waveform }
      meter.add(samples)
    }
    return nil
  }

  private static func reader(of location: MediaLocation, _ network: Network?) throws(TrackError) -> TrackReader? {
    let segment = try TrackSegment.named(location, network: network)
    guard case .url(let address) = segment?.location ?? location else {
      return try TrackReader(location: location, via: .file, sampleFormat: .s16)
    }
    guard let stream = network?.arrived(address) else { return nil }
    let opened = try OpenedInput(stream: stream, name: address, typeHint: nil, segment: segment)
    return try TrackReader(PacketReader(opened, via: .file), sampleFormat: .s16)
  }

  private static func readPoints(
    _ reader: TrackReader, _ frameCount: Int64, _ buffer: UnsafeMutableRawBufferPointer, _ isWanted: () -> Bool
  ) throws(TrackError) -> Waveform? {
    var meanSquares: [Double] = []
    for point in 0..<pointCount {
      _ = try reader.seek(toFrame: frameCount / pointCount * point)
      var energy = 0.0
      var sampleCount = 0
      for _ in 0..<3 {
        guard isWanted() else { return nil }
        let samples = try readSamples(reader, buffer)
        energy += WaveformMeter.energy(of: samples)
        sampleCount += samples.count
      }
      meanSquares.append(energy / Double(max(1, sampleCount)))
    }
    return Waveform(meanSquares: meanSquares)
  }

  private static func readSamples(
    _ reader: TrackReader, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(TrackError) -> UnsafeBufferPointer<Int16> {
    let count = try reader.read(into: buffer)
    return UnsafeBufferPointer(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: Int16.self))
  }
}
