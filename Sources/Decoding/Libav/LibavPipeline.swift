internal import AudioModel
internal import ByteIO
internal import CLibav

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
  /// Decodes what `decoder` refuses because of a checksum.
  private var uncheckedDecoder: LibavcodecDecoder?
  private var hasUncheckedDecoder = false
  private let isWavPack: Bool
  private let isMusepack7: Bool
  /// The place behind the last packet of Musepack, version 7.
  private(set) var musepackTail: MusepackTail?
  private var isDrained = false
  private var watch = PacketWatch()
  private var isTooSlow = false

  init(_ source: any ByteSource, isSeekable: Bool) throws(LibavError) {
    let demuxer = try LibavDemuxer(source, isSeekable: isSeekable)
    let name = demuxer.codecName
    (self.demuxer, isWavPack, isMusepack7) = (demuxer, name == "wavpack", name == "musepack7")
    do throws(DecoderError) { decoder = try Self.decoder(of: demuxer, isChecked: true) } catch {
      throw LibavError(.unsupported, error.reason)
    }
  }

  private static func decoder(
    of demuxer: LibavDemuxer, isChecked: Bool
  ) throws(DecoderError) -> LibavcodecDecoder {
    let name = demuxer.codecName
    return try LibavcodecDecoder(
      name, named: name, preferred: LibavFormats.decoder(codec: name), of: demuxer.library.codec
    ) { library, context throws(DecoderError) in
      guard let parameters = demuxer.parameters, library.avcodec_parameters_to_context(context, parameters) >= 0 else {
        throw DecoderError(.outOfMemory, "libavcodec: no memory")
      }
      _ = library.av_opt_set_q(UnsafeMutableRawPointer(context), "pkt_timebase", demuxer.stream.time_base, 0)
      // Several would hold frames back.
      library.set("threads", to: 1, of: context)
      if !isChecked { library.set("err_detect", to: 0, of: context) }
      // AC-3: the noise that stands for bands without bits depends on the packet alone.
      library.setPrivate("cons_noisegen", to: "1", of: context)
      // Monkey's Audio: whole frames.
      if name == "ape" { library.setPrivate("max_samples", to: "all", of: context) }
    }
  }

  // MARK: Packets

  /// Finds the next packet; false at the end.
  func next() throws(LibavError) -> Bool {
    try checkTime()
    guard try demuxer.next() else { return false }
    if isMusepack7, let bytes, bytes.count >= MusepackTail.packetHeaderByteCount {
      let head = Array(bytes.prefix(MusepackTail.packetHeaderByteCount))
      musepackTail = MusepackTail(behind: head, nextWordAt: demuxer.readPlace)
    }
    if isWavPack, let bytes { for (place, value) in WavPackPacket.speakers(bytes) { packet.data?[place] = value } }
    return true
  }

  /// The packet's bytes, valid until the next one.
  private var bytes: UnsafeRawBufferPointer? {
    let packet = packet
    return packet.data.map { UnsafeRawBufferPointer(start: $0, count: byteCount) }
  }

  private var packet: AVPacket { demuxer.packet?.pointee ?? AVPacket() }

  /// Its time stamp, where it has one.
  var timeStamp: Int64? { packet.pts == AV_NOPTS_VALUE ? nil : packet.pts }

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

  /// Decodes the packet that `next` found, or, at the end, what the decoder holds, after a `last` packet that
  /// `next` does not give. `body` takes one frame after the other.
  func decode(
    atEnd: Bool = false, last: [UInt8]? = nil,
    _ body: (LibavFrame, _ bitsPerRawSample: Int32) throws(LibavError) -> Void
  ) throws(LibavError) {
    if atEnd {
      guard !isDrained else { return }
      isDrained = true
    }
    let offset = byteOffset
    watch.start()
    defer { isTooSlow = isTooSlow || watch.isOverdue }
    do throws(DecoderError) {
      if let last {
        try decoder.send(last)
      } else {
        try decoder.send(atEnd ? nil : demuxer.packet.map { UnsafePointer($0) })
      }
    } catch {
      if atEnd { return }
      if isWavPack, let frame = wavPackFrame() { return try body(frame, decoder.bitsPerRawSample) }
      throw LibavError(.damaged, error.reason, at: offset)
    }
    while true {
      let frame: LibavFrame?
      do throws(DecoderError) { frame = try decoder.receive() } catch {
        throw LibavError(.damaged, error.reason, at: offset)
      }
      guard let frame else { return }
      try body(frame, decoder.bitsPerRawSample)
    }
  }

  /// The frame of a packet of WavPack whose checksums are right, though `decoder` has found one of them wrong.
  private func wavPackFrame() -> LibavFrame? {
    guard let bytes, let packet = demuxer.packet else { return nil }
    do throws(DecoderError) {
      if !hasUncheckedDecoder { uncheckedDecoder = try Self.decoder(of: demuxer, isChecked: false) }
      hasUncheckedDecoder = true
      try uncheckedDecoder?.send(UnsafePointer(packet))
      guard let frame = try uncheckedDecoder?.receive(), WavPackPacket.isIntact(bytes, frame) else { return nil }
      return frame
    } catch { return nil }
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
