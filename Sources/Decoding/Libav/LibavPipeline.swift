internal import AudioModel
internal import ByteIO
internal import CAVFormat

/// A packet as it is known again after a seek.
struct LibavPacketKey: Hashable {
  var byteOffset: Int64
  var timeStamp: Int64
  var byteCount: Int
  /// A checksum of its bytes: several packets may have one place and one time stamp.
  var hash: UInt64
}

/// Demuxer and decoder, from the start of an input or since a seek: packets in, frames out.
final class LibavPipeline {
  let demuxer: LibavDemuxer
  private var decoder: LibavcodecDecoder
  private var isDrained = false
  private var watch = PacketWatch()
  private var isTooSlow = false

  init(_ source: any ByteSource, isSeekable: Bool) throws(LibavError) {
    let demuxer = try LibavDemuxer(source, isSeekable: isSeekable)
    self.demuxer = demuxer
    do throws(DecoderError) {
      let parameters = demuxer.stream.codecpar
      let name = demuxer.codecName
      decoder = try LibavcodecDecoder(
        parameters?.pointee.codec_id ?? AV_CODEC_ID_NONE, named: name, preferred: LibavFormats.decoder(codec: name)
      ) { context throws(DecoderError) in
        guard demuxer.library.avcodec_parameters_to_context(context, demuxer.stream.codecpar) >= 0 else {
          throw DecoderError(.outOfMemory, "libavcodec: no memory")
        }
        context.pointee.pkt_timebase = demuxer.stream.time_base
        // Several would hold frames back.
        context.pointee.thread_count = 1
        if let options = context.pointee.priv_data {
          // AC-3: the noise that stands for bands without bits depends on the packet alone.
          _ = demuxer.library.av_opt_set(options, "cons_noisegen", "1", 0)
          // Monkey's Audio: whole frames.
          _ = demuxer.library.av_opt_set(options, "max_samples", "all", 0)
        }
      }
    } catch { throw LibavError(.unsupported, error.reason) }
  }

  // MARK: Packets

  /// Finds the next packet; false at the end.
  func next() throws(LibavError) -> Bool {
    try checkTime()
    return try demuxer.next()
  }

  private var packet: AVPacket { demuxer.packet?.pointee ?? AVPacket() }

  /// Its time stamp, where it has one.
  var timeStamp: Int64? { packet.pts == SEGUE_AV_NOPTS ? nil : packet.pts }

  /// The place, if the format states it.
  var byteOffset: Int64 { packet.pos >= 0 ? packet.pos : demuxer.byteOffset }

  var byteCount: Int { max(0, Int(packet.size)) }

  /// A key to recognise the packet; `nil` if that is not certain.
  var key: LibavPacketKey? {
    let packet = packet
    guard packet.pos >= 0, let timeStamp, let data = packet.data, packet.size > 0 else { return nil }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.size))
    let hash = bytes.suffix(256).fnvSum()
    return LibavPacketKey(byteOffset: packet.pos, timeStamp: timeStamp, byteCount: bytes.count, hash: hash)
  }

  // MARK: Frames

  /// Decodes the packet that `next` found, or, at the end, what the decoder holds. `body` takes one frame after the
  /// other.
  func decode(
    atEnd: Bool = false, _ body: (AVFrame, _ bitsPerRawSample: Int32) throws(LibavError) -> Void
  ) throws(LibavError) {
    if atEnd {
      guard !isDrained else { return }
      isDrained = true
    }
    let offset = byteOffset
    watch.start()
    defer { isTooSlow = isTooSlow || watch.isOverdue }
    do throws(DecoderError) {
      try decoder.send(atEnd ? nil : demuxer.packet.map { UnsafePointer($0) })
    } catch {
      if atEnd { return }
      throw LibavError(.damaged, error.reason, at: offset)
    }
    while true {
      let frame: AVFrame?
      do throws(DecoderError) { frame = try decoder.receive() } catch {
        throw LibavError(.damaged, error.reason, at: offset)
      }
      guard let frame else { return }
      try body(frame, decoder.bitsPerRawSample)
    }
  }

  /// Throws if a packet took too long to decode: the codec is asked nothing more.
  func checkTime() throws(LibavError) {
    guard isTooSlow else { return }
    throw LibavError(
      .tooSlow, "libavcodec needs more than \(Int(DecodingLimits.time.inSeconds)) s for one packet", at: byteOffset)
  }

  /// Goes to a packet at or before a time stamp, with a decoder that has seen none; false if the format cannot.
  func seek(to timeStamp: Int64) throws(LibavError) -> Bool {
    decoder.reset()
    isDrained = false
    return try demuxer.seek(to: timeStamp)
  }
}
