internal import AudioModel
internal import CLibav

/// A frame of a decoder, valid until the next one.
struct LibavFrame {
  /// One of `AV_SAMPLE_FMT_...`.
  var format: Int32
  var sampleRate: Int32
  var frameCount: Int32
  var channelCount: Int32
  /// A bit for each channel's speaker, in libavutil's order; 0 if the channels have none.
  var speakers: UInt64
  /// One for each channel, or a single one.
  var planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?
}

/// Owns one codec context of libavcodec with its packet and frame: packets in, frames out, in the codec's own layout.
///
/// The context opens with the first packet, and again with the first one after a reset: a new context gives the same
/// samples as the first one did, which `avcodec_flush_buffers` does not promise.
struct LibavcodecDecoder: ~Copyable {
  let library: segue_avcodec
  private let codec: OpaquePointer
  private let configure: Configuration
  private var context: OpaquePointer?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  /// Places of fields in the context.
  private let places: (sampleRate: Int, layout: Int, bitsPerRawSample: Int)

  /// Fills in a new context (`AVCodecContext`) before it is opened.
  typealias Configuration = (_ library: segue_avcodec, _ context: OpaquePointer) throws(DecoderError) -> Void

  /// A decoder of `codec`, which messages call `name`: the one that the library calls `preferred`, if it has that, of
  /// several. Throws `'fmt?'` if the library or the codec is missing.
  ///
  /// - Parameter library: The functions of a libavformat's libavcodec; of libavcodec alone if `nil`.
  init(
    _ codec: String, named name: String, preferred: String? = nil, of library: segue_avcodec? = nil,
    configure: @escaping Configuration
  ) throws(DecoderError) {
    let library = if let library { library } else { try libavcodec.required().pointee }
    let preferred = preferred.flatMap { library.avcodec_find_decoder_by_name($0) }
    let id = library.avcodec_descriptor_get_by_name(codec)?.pointee.id
    guard let codec = preferred ?? id.flatMap({ library.avcodec_find_decoder($0) }) else {
      throw DecoderError(.formatNotSupported, "libavcodec was built without a decoder for \(name)")
    }
    guard let rate = library.place(of: "ar"), let layout = library.place(of: "ch_layout"),
      let bits = library.place(of: "bits_per_raw_sample")
    else { throw DecoderError(.formatNotSupported, "libavcodec lacks options") }
    (self.library, self.codec, self.configure, places) = (library, codec, configure, (rate, layout, bits))
    (packet, frame) = (library.av_packet_alloc(), library.av_frame_alloc())
  }

  deinit {
    // The functions want variables.
    var (context, packet, frame) = (context, packet, frame)
    library.avcodec_free_context(&context)
    library.av_packet_free(&packet)
    library.av_frame_free(&frame)
  }

  /// Forgets all packets.
  mutating func reset() { library.avcodec_free_context(&context) }

  /// Hands over a packet, which the library copies. All frames of the packet before must have been received.
  mutating func send(_ bytes: UnsafeRawBufferPointer) throws(DecoderError) {
    // A packet without bytes means the end of the stream.
    guard let byteCount = Int32(exactly: bytes.count), byteCount > 0 else {
      throw DecoderError(.badPacket, "a packet of \(bytes.count) bytes")
    }
    try open()
    guard let packet else { throw DecoderError(.outOfMemory, "libavcodec: no memory") }
    packet.pointee.data = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    packet.pointee.size = byteCount
    let status = library.avcodec_send_packet(context, packet)
    (packet.pointee.data, packet.pointee.size) = (nil, 0)
    try check(status)
  }

  /// Hands over a packet that was made here.
  mutating func send(_ bytes: [UInt8]) throws(DecoderError) {
    // libavcodec reads a few bytes more.
    let padded = bytes + [UInt8](repeating: 0, count: Int(AV_INPUT_BUFFER_PADDING_SIZE))
    let outcome = padded.withUnsafeBytes { buffer in
      Result { () throws(DecoderError) in try send(UnsafeRawBufferPointer(rebasing: buffer.prefix(bytes.count))) }
    }
    try outcome.get()
  }

  /// The next frame of the packet, valid until the next call; `nil` after the last.
  mutating func receive() throws(DecoderError) -> LibavFrame? {
    let status = library.avcodec_receive_frame(context, frame)
    guard status != AVERROR_EAGAIN, status != AVERROR_EOF else { return nil }
    try check(status)
    guard let context, let frame, library.major.errors(of: frame).pointee == 0 else {
      throw DecoderError(.badPacket, "libavcodec: damaged frame")
    }
    // The context has the frame's rate and layout, at places that the library tells.
    let layout = UnsafeRawPointer(context).load(fromByteOffset: places.layout, as: AVChannelLayout.self)
    return LibavFrame(
      format: frame.pointee.format,
      sampleRate: UnsafeRawPointer(context).load(fromByteOffset: places.sampleRate, as: Int32.self),
      frameCount: frame.pointee.nb_samples, channelCount: layout.nb_channels,
      speakers: layout.order == AV_CHANNEL_ORDER_NATIVE ? layout.u.mask : 0, planes: frame.pointee.extended_data)
  }

  /// Opens the context now, to learn whether the library takes the configuration.
  mutating func open() throws(DecoderError) {
    if context == nil { context = try newContext() }
  }

  /// Skips the frames that are left of a packet.
  mutating func drain() {
    while library.avcodec_receive_frame(context, frame) >= 0 {}
  }

  /// The profile that the codec says it decodes (`AV_PROFILE_...`), once there is a frame.
  var profile: Int64? { context.map { library.number("profile", of: $0) } }

  /// Hands over a packet as libavformat found it, or, with `nil`, the end of the stream: `receive` then gives what the
  /// codec still holds.
  mutating func send(_ packet: UnsafePointer<AVPacket>?) throws(DecoderError) {
    try open()
    try check(library.avcodec_send_packet(context, packet))
  }

  /// Bits of a sample that are used, of those that frames have; 0 if the codec does not tell.
  var bitsPerRawSample: Int32 {
    context.map { UnsafeRawPointer($0).load(fromByteOffset: places.bitsPerRawSample, as: Int32.self) } ?? 0
  }

  private func newContext() throws(DecoderError) -> OpaquePointer {
    var context = library.avcodec_alloc_context3(codec)
    guard let newContext = context else { throw DecoderError(.outOfMemory, "libavcodec: no memory") }
    do throws(DecoderError) {
      // A damaged packet is an error, not noise.
      library.set("err_detect", to: Int64(AV_EF_CRCCHECK | AV_EF_EXPLODE), of: newContext)
      library.set("max_samples", to: DecodingLimits.framesPerPacket, of: newContext)
      try configure(library, newContext)
      try check(library.avcodec_open2(newContext, codec, nil))
    } catch {
      library.avcodec_free_context(&context)
      throw error
    }
    return newContext
  }

  private func check(_ status: Int32) throws(DecoderError) {
    guard status < 0 else { return }
    var words = [CChar](repeating: 0, count: 128)
    _ = library.av_strerror(status, &words, words.count)
    let end = words.firstIndex(of: 0) ?? words.endIndex
    let text = String(decoding: words[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
    throw DecoderError(.badPacket, "libavcodec: \(text)")
  }
}

// Options of a codec's context (`AVCodecContext`): its fields, whose places differ between versions.
extension segue_avcodec {
  func number(_ option: String, of context: OpaquePointer) -> Int64 {
    var value: Int64 = 0
    _ = av_opt_get_int(UnsafeMutableRawPointer(context), option, 0, &value)
    return value
  }

  func set(_ option: String, to value: Int64, of context: OpaquePointer) {
    _ = av_opt_set_int(UnsafeMutableRawPointer(context), option, value, 0)
  }

  /// Sets an option of the codec itself, if it has that.
  func setPrivate(_ option: String, to value: String, of context: OpaquePointer) {
    _ = av_opt_set(UnsafeMutableRawPointer(context), option, value, AV_OPT_SEARCH_CHILDREN)
  }

  /// The place of the field that an option sets, in bytes: where it is read often, a search by name takes too long.
  func place(of option: String) -> Int? {
    var kind = avcodec_get_class()
    return av_opt_find(&kind, option, nil, 0, AV_OPT_SEARCH_FAKE_OBJ).map { Int($0.pointee.offset) }
  }

  /// Gives the codec a copy of its configuration.
  func setExtradata(_ bytes: [UInt8], codec: String, of context: OpaquePointer) throws(DecoderError) {
    var parameters = avcodec_parameters_alloc()
    defer { avcodec_parameters_free(&parameters) }
    guard let parameters, let byteCount = Int32(exactly: bytes.count),
      let copy = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
    else { throw DecoderError(.outOfMemory, "libavcodec: no memory") }
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = avcodec_descriptor_get_by_name(codec)?.pointee.id ?? AV_CODEC_ID_NONE
    parameters.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    parameters.pointee.extradata_size = byteCount
    guard avcodec_parameters_to_context(context, parameters) >= 0 else {
      throw DecoderError(.outOfMemory, "libavcodec: no memory")
    }
  }
}
