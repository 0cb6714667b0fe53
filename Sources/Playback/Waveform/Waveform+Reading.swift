internal import AudioModel
public import ByteIO
public import Streaming

extension Waveform {
  /// Of longer tracks, in seconds, places are measured and not the whole, three tenths of a second each.
  private static let wholeLimit = 1200.0
  private static let placeCount: Int64 = 1024

  /// Decodes an input to measure it; `nil` where nobody wants to know any more, or nothing can be told. Blocks for as
  /// long as that takes; any thread. Of a network stream only what has arrived whole, and is read, is measured.
  ///
  /// - Parameter isWanted: Asked every tenth of a second of the track.
  public static func read(
    _ location: MediaLocation, network: Network? = nil, isWanted: () -> Bool
  ) throws(TrackError) -> Waveform? {
    guard let reader = try reader(of: location, network), reader.pcmFormat.sampleFormat == .s16 else { return nil }
    let frames = min(max(1, reader.pcmFormat.sampleRate / 10), 1 << 16)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: frames * reader.pcmFormat.bytesPerFrame, alignment: 16)
    defer { buffer.deallocate() }
    if let duration = reader.information.duration, wholeLimit..<1e9 ~= duration {
      return try readPlaces(reader, Int64(duration * Double(reader.pcmFormat.sampleRate)), buffer, isWanted)
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
    let packets = try PacketReader(stream: stream, name: address, via: .file)
    packets.segment = segment
    return try TrackReader(packets, sampleFormat: .s16)
  }

  private static func readPlaces(
    _ reader: TrackReader, _ frameCount: Int64, _ buffer: UnsafeMutableRawBufferPointer, _ isWanted: () -> Bool
  ) throws(TrackError) -> Waveform? {
    var meanSquares: [Double] = []
    for place in 0..<placeCount {
      _ = try reader.seek(toFrame: frameCount / placeCount * place)
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
