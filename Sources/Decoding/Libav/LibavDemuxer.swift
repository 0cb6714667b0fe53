internal import AudioModel
internal import ByteIO
internal import CLibav
internal import Glibc

/// The packets of the first audio stream of an input, as libavformat finds them. Owns an `AVFormatContext` and a
/// packet.
///
/// The library reads through `LibavInput` alone: it opens no file and no address. Streams other than that of the audio
/// are skipped unparsed, and no decoder is opened to look at them (`avformat_find_stream_info` would).
final class LibavDemuxer {
  let library: segue_avformat
  private let input: LibavInput
  private var context: UnsafeMutablePointer<AVFormatContext>?
  /// The packet that `next` found, until the next call.
  private(set) var packet: UnsafeMutablePointer<AVPacket>?
  private var isHeld = false
  /// The number of the stream of audio.
  private var index: Int32?

  private static let probeByteCount: Int64 = 1 << 20
  private static let maximumStreamCount: Int64 = 64
  /// Packets of other streams that may come before the first of audio.
  private static let maximumLeadCount = 4096
  /// Limits of bytes for one call: the header with its pictures; a packet, and the bytes between two packets.
  private static let openBudget: Int64 = 64 << 20
  private static let packetBudget: Int64 = 64 << 20
  /// Formats without a table of places are searched.
  private static let seekBudget: Int64 = 256 << 20

  /// Opens an input and reads on to its first packet of audio, which `next` returns. Blocks as reads of `source` do.
  init(_ source: any ByteSource, isSeekable: Bool) throws(LibavError) {
    guard let library = libavformat.functions?.pointee else {
      throw LibavError(.missing, libavformat.missing.reason)
    }
    self.library = library
    input = LibavInput(source, isSeekable: isSeekable, library: library)
    if try LibavAudioFile.firstBytes(4, of: source) == Array("wvpk".utf8) {
      let first = try LibavAudioFile.firstBytes(1 << 16, of: source)
      input.changes = first.withUnsafeBytes(WavPackPacket.speakers)
    }
    (context, packet) = (library.avformat_alloc_context(), library.codec.av_packet_alloc())
    try open()
    try choose()
  }

  deinit {
    library.avformat_close_input(&context)
    library.codec.av_packet_free(&packet)
  }

  private func open() throws(LibavError) {
    guard let new = context else { throw LibavError(.damaged, "libavformat: no memory") }
    new.pointee.pb = input.context
    _ = library.codec.av_opt_set_int(new, "probesize", Self.probeByteCount, 0)
    _ = library.codec.av_opt_set_int(new, "max_streams", Self.maximumStreamCount, 0)
    _ = library.codec.av_opt_set(new, "format_whitelist", LibavFormats.whitelist.joined(separator: ","), 0)
    // No protocol has this name.
    _ = library.codec.av_opt_set(new, "protocol_whitelist", "none", 0)
    input.allow(Self.openBudget)
    // A context that cannot be opened is freed there.
    let status = library.avformat_open_input(&context, nil, nil, nil)
    guard status >= 0 else { throw error(status, code: .unknown) }
  }

  /// Reads on to the stream whose packets come first, of several that the header lists to the first.
  private func choose() throws(LibavError) {
    if let context, context.pointee.ctx_flags & AVFMTCTX_NOHEADER == 0 {
      index = streams.firstIndex(where: isAudio).flatMap { Int32(exactly: $0) }
    }
    for _ in 0..<Self.maximumLeadCount {
      discardOthers()
      guard try read() else { break }
      guard let found = packet?.pointee.stream_index, let stream = stream(found), isAudio(stream),
        found == index ?? found
      else { continue }
      index = found
      try check()
      discardOthers()
      isHeld = true
      return
    }
    throw index == nil
      ? LibavError(.unsupported, "\(formatName): no audio in it")
      : LibavError(.damaged, "\(formatName): no packet of audio in it")
  }

  /// Refuses sizes that no codec should allocate.
  private func check() throws(LibavError) {
    try check(
      (parameters?.pointee.extradata_size).map { Int64($0) }, DecodingLimits.configurationByteCount,
      "bytes of configuration")
    guard let claims else { throw LibavError(.damaged, "libavcodec: no memory", at: input.byteOffset) }
    try check(claims.channelCount, DecodingLimits.channelCount, "channels")
    try check(claims.sampleRate, 8 * DecodingLimits.sampleRate, "Hz")
    try check(claims.blockByteCount, DecodingLimits.blockByteCount, "bytes in a block")
    try check(claims.frameCount, Int32(clamping: DecodingLimits.framesPerPacket), "frames in a packet")
  }

  private func check(_ claim: Int64?, _ limit: Int32, _ name: String) throws(LibavError) {
    guard let claim, !(0...Int64(limit) ~= claim) else { return }
    throw LibavError(.unsupported, "\(codecName): \(claim) \(name) are too many", at: input.byteOffset)
  }

  /// Streams that are not played are not parsed.
  private func discardOthers() {
    guard let chosen else { return }
    for stream in streams where stream != chosen { major.fields(of: stream).pointee.discard = AVDISCARD_ALL }
  }

  // MARK: Asking

  /// libavformat's name of the format: `asf`.
  var formatName: String {
    guard let name = context?.pointee.iformat?.pointee.name else { return "?" }
    return String(String(cString: name).prefix { $0 != "," })
  }

  private var major: LibavMajor { library.codec.major }

  /// The stream of audio.
  var stream: segue_av_stream { chosen.map(fields) ?? segue_av_stream() }

  func fields(of stream: OpaquePointer) -> segue_av_stream { major.fields(of: stream).pointee }

  var parameters: UnsafeMutablePointer<AVCodecParameters>? { chosen.flatMap(major.codecParameters) }

  /// The numbers in the header about the audio; `nil` if there is no memory.
  var claims: LibavClaims? { parameters.flatMap { LibavClaims($0, library.codec) } }

  var codecName: String { chosen.map(codecName) ?? "?" }

  /// libavcodec's name for the codec of a stream.
  func codecName(of stream: OpaquePointer) -> String {
    guard let parameters = major.codecParameters(of: stream),
      let name = library.codec.avcodec_get_name(parameters.pointee.codec_id)
    else { return "?" }
    return String(cString: name)
  }

  /// The length of the input in units of `AV_TIME_BASE`, or no positive number.
  var duration: Int64 { context.map(major.duration) ?? 0 }

  var metadata: OpaquePointer? { context.flatMap(major.metadata) }

  var chapters: UnsafeBufferPointer<UnsafeMutablePointer<AVChapter>?> {
    context.map(major.chapters) ?? UnsafeBufferPointer(start: nil, count: 0)
  }

  var streams: [OpaquePointer] {
    (0..<Int32(clamping: context?.pointee.nb_streams ?? 0)).compactMap(stream)
  }

  /// The place where the library reads next.
  var byteOffset: Int64 { input.byteOffset }

  /// The place of the next byte that the library takes, of those that it has read ahead.
  var readPlace: Int64 { input.readPlace }

  private var chosen: OpaquePointer? { index.flatMap(stream) }

  private func stream(_ index: Int32) -> OpaquePointer? {
    guard let context = context?.pointee, 0..<Int64(context.nb_streams) ~= Int64(index) else { return nil }
    return context.streams?[Int(index)]
  }

  private func isAudio(_ stream: OpaquePointer) -> Bool {
    guard let parameters = major.codecParameters(of: stream)?.pointee else { return false }
    return parameters.codec_type == AVMEDIA_TYPE_AUDIO && parameters.codec_id != AV_CODEC_ID_NONE
  }

  // MARK: Reading

  /// Makes the next packet of the audio `packet`; false at the end.
  func next() throws(LibavError) -> Bool {
    if isHeld {
      isHeld = false
      return true
    }
    while try read() {
      if packet?.pointee.stream_index == index { return true }
    }
    return false
  }

  /// Has `next` return the same packet once more.
  func hold() { isHeld = true }

  /// The next packet of any stream.
  private func read() throws(LibavError) -> Bool {
    guard let context, let packet else { return false }
    library.codec.av_packet_unref(packet)
    input.allow(Self.packetBudget)
    let status = library.av_read_frame(context, packet)
    // A read that failed in the middle leaves half a packet.
    if input.failure != nil { throw error(AVERROR_EIO, code: .source) }
    guard status != AVERROR_EOF, !input.isOverdue else {
      if input.isOverdue { throw error(status, code: .tooSlow) }
      return false
    }
    // Some formats call a packet whose end is missing an error.
    guard status >= 0 || !input.isAtEnd else { return false }
    guard status >= 0 else { throw error(status, code: .damaged) }
    return true
  }

  /// Goes to a packet at or before a time stamp; false if the format cannot.
  func seek(to timeStamp: Int64) throws(LibavError) -> Bool {
    isHeld = false
    guard let context, let index else { return false }
    input.allow(Self.seekBudget)
    let status = library.av_seek_frame(context, index, timeStamp, AVSEEK_FLAG_BACKWARD)
    if input.failure != nil { throw error(AVERROR_EIO, code: .source) }
    return status >= 0
  }

  private func error(_ status: Int32, code: LibavError.Code) -> LibavError {
    if input.isOverdue {
      return LibavError(
        .tooSlow, "libavformat needs more than \(Int(DecodingLimits.time.inSeconds)) s for one packet",
        at: input.byteOffset)
    }
    if let cause = input.failure {
      return LibavError(.source, "cannot \(cause.operation): \(cause.reason)", at: cause.byteOffset, cause: cause)
    }
    var words = [CChar](repeating: 0, count: 128)
    _ = library.codec.av_strerror(status, &words, words.count)
    let text = String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return LibavError(code, "libavformat: \(text)", at: input.byteOffset)
  }
}
