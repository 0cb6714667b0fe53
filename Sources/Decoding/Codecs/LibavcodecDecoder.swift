internal import AudioModel
internal import CAVCodec

/// libavcodec's functions. The first decoder that needs them loads them.
let libavcodec = LateLibrary(
  "libavcodec", for: "AC-3, E-AC-3, AAC that libfaad does not decode", package: "libavcodec\(LIBAVCODEC_VERSION_MAJOR)"
) { segue_av_load(DecodingLimits.allocatedByteCount) }

/// Owns one codec context of libavcodec with its packet and frame: packets in, frames out, in the codec's own layout.
///
/// The context opens with the first packet, and again with the first one after a reset: a new context gives the same
/// samples as the first one did, which `avcodec_flush_buffers` does not promise.
struct LibavcodecDecoder: ~Copyable {
  let library: segue_av_functions
  private let codec: UnsafePointer<AVCodec>
  private let configure: Configuration
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?

  /// Fills in a new context before it is opened.
  typealias Configuration = (UnsafeMutablePointer<AVCodecContext>) throws(DecoderError) -> Void

  /// A decoder of `codecID`, which messages call `name`: the one that the library calls `preferred`, if it has that, of
  /// several. Throws `'fmt?'` if the library or the codec is missing.
  init(
    _ codecID: AVCodecID, named name: String, preferred: String? = nil, configure: @escaping Configuration
  ) throws(DecoderError) {
    let library = try libavcodec.required().pointee
    let named = preferred.flatMap { library.avcodec_find_decoder_by_name($0) }
    guard let codec = named ?? library.avcodec_find_decoder(codecID) else {
      throw DecoderError(.formatNotSupported, "libavcodec was built without a decoder for \(name)")
    }
    (self.library, self.codec, self.configure) = (library, codec, configure)
    // Without it the library writes to standard error, over the screen.
    library.av_log_set_level(AV_LOG_QUIET)
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
  mutating func receive() throws(DecoderError) -> AVFrame? {
    let status = library.avcodec_receive_frame(context, frame)
    guard status != SEGUE_AVERROR_EAGAIN, status != SEGUE_AVERROR_EOF else { return nil }
    try check(status)
    guard let frame = frame?.pointee, frame.decode_error_flags == 0 else {
      throw DecoderError(.badPacket, "libavcodec: damaged frame")
    }
    return frame
  }

  /// Opens the context now, to learn whether the library takes the configuration.
  mutating func open() throws(DecoderError) {
    if context == nil { context = try newContext() }
  }

  /// Skips the frames that are left of a packet.
  mutating func drain() {
    while library.avcodec_receive_frame(context, frame) >= 0 {}
  }

  /// The profile that the codec says it decodes (`FF_PROFILE_...`).
  var profile: Int32 { context?.pointee.profile ?? FF_PROFILE_UNKNOWN }

  /// Hands over a packet as libavformat found it, or, with `nil`, the end of the stream: `receive` then gives what the
  /// codec still holds.
  mutating func send(_ packet: UnsafePointer<AVPacket>?) throws(DecoderError) {
    try open()
    try check(library.avcodec_send_packet(context, packet))
  }

  /// Bits of a sample that are used, of those that frames have; 0 if the codec does not tell.
  var bitsPerRawSample: Int32 { context?.pointee.bits_per_raw_sample ?? 0 }

  private func newContext() throws(DecoderError) -> UnsafeMutablePointer<AVCodecContext> {
    var context = library.avcodec_alloc_context3(codec)
    guard let newContext = context else { throw DecoderError(.outOfMemory, "libavcodec: no memory") }
    do throws(DecoderError) {
      // A damaged packet is an error, not noise.
      newContext.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
      newContext.pointee.max_samples = DecodingLimits.framesPerPacket
      try configure(newContext)
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

extension UnsafeMutablePointer<AVCodecContext> {
  /// Gives the codec a copy of its configuration, which the context owns.
  func setExtradata(_ bytes: [UInt8]) throws(DecoderError) {
    let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
    guard let byteCount = Int32(exactly: bytes.count),
      let copy = libavcodec.functions?.pointee.av_mallocz(bytes.count + padding)
    else { throw DecoderError(.outOfMemory, "libavcodec: no memory") }
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    pointee.extradata_size = byteCount
  }
}
