internal import AudioModel
internal import Containers
internal import Decoding

/// Decodes packets one at a time, and holds the samples of the last one.
final class PacketDecoder {
  let decoder: any AudioDecoder
  private(set) var samples = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The frames of the packet in `samples`, counted from the first frame of packet 0.
  private(set) var frames: Range<Int64> = 0..<0
  private var hasDecoded = false
  /// The number of consecutive packets that could not be decoded, and the first error.
  private var failureCount = 0
  private var firstFailure: TrackError?
  /// Ends the track if a packet keeps the decoder busy for too long.
  var watch = PacketWatch()
  private(set) var slowPacket: TrackError?

  /// The number of consecutive failures, about a second of them, that ends the track: as an error if nothing was decoded
  /// before.
  private static let maximumFailureCount = 40

  /// The limit for the samples of one packet: 65,536 frames of 32 channels, or 2^18 of 8.
  private static let maximumByteCount = 1 << 23

  init(_ decoder: any AudioDecoder) { self.decoder = decoder }

  deinit { samples.deallocate() }

  /// Another track begins with the next packet, or within this one.
  func beginTrack() { (failureCount, firstFailure, slowPacket) = (0, nil, nil) }

  /// The next packet does not follow the last one.
  func reset() {
    decoder.reset()
    (failureCount, frames) = (0, 0..<0)
  }

  /// The next packet of a reader; `nil` at the end, or after too many failures.
  func next(of packets: PacketReader) throws(TrackError) -> PacketReader.Packet? {
    if failureCount < Self.maximumFailureCount, let packet = try packets.next() { return packet }
    if let firstFailure, !hasDecoded { throw firstFailure }
    return nil
  }

  /// Decodes the packet that `packets` returned last; silence if that fails. Throws if it promises more frames than any
  /// packet has.
  func decode(_ packet: PacketReader.Packet, of packets: PacketReader) throws(TrackError) {
    var description = packet.description
    description.frameCount += description.droppedFrameCount
    let byteCount = byteCount(Int64(description.frameCount))
    guard byteCount <= Self.maximumByteCount else {
      throw .container(
        ContainerError(
          .invalidFile, at: packet.description.byteOffset,
          "\(packet.description.frameCount) frames in one packet are too many"))
    }
    if samples.count < byteCount {
      samples.deallocate()
      samples = .allocate(byteCount: byteCount, alignment: 16)
    }
    if description.beginsLink { decoder.reset() } else if packet.isAfterGap { decoder.noteGap() }
    var frameCount = 0
    watch.start()
    do throws(DecoderError) {
      frameCount = try packets.withBytes { bytes throws(DecoderError) in
        try decoder.decode(bytes, description, into: samples)
      }
      (hasDecoded, failureCount) = (true, 0)
    } catch {
      // Packets without bytes stand for missing ones, which do not count as failures of the decoder.
      if packet.description.byteCount > 0 {
        failureCount += 1
        firstFailure = firstFailure ?? .decoder(error, byteOffset: packet.description.byteOffset)
      }
      packets.damage.damage(at: packet.description.byteOffset)
    }
    if watch.isOverdue {
      slowPacket = .decoder(
        DecoderError(.badPacket, "this packet takes more than \(Int(DecodingLimits.time.inSeconds)) s to decode"),
        byteOffset: packet.description.byteOffset)
    }
    let end = self.byteCount(Int64(frameCount))
    UnsafeMutableRawBufferPointer(rebasing: samples[end..<byteCount]).initializeMemory(as: UInt8.self, repeating: 0)
    let dropped = self.byteCount(Int64(description.droppedFrameCount))
    if dropped > 0 { samples.copyMemory(from: UnsafeRawBufferPointer(rebasing: samples[dropped..<byteCount])) }
    frames = packet.frames
  }

  /// The bytes of these frames, which are a part of `frames`.
  func bytes(of part: Range<Int64>) -> Range<Int> {
    byteCount(part.lowerBound - frames.lowerBound)..<byteCount(part.upperBound - frames.lowerBound)
  }

  func byteCount(_ frameCount: Int64) -> Int { Int(frameCount) * decoder.format.bytesPerFrame }
}
