internal import CLibav

/// Compares an open library with what is known of its version, so that no build with other structures is read wrongly.
struct LibavCheck {
  private let codec: segue_avcodec

  init(_ codec: segue_avcodec) {
    self.codec = codec
    // Else the library writes to standard error, over the screen.
    codec.av_log_set_level(AV_LOG_QUIET)
    codec.av_max_alloc(DecodingLimits.allocatedByteCount)
  }

  /// The problem with libavcodec or libavutil, as the end of a sentence.
  func problem() -> String? {
    versionProblem("libavcodec", codec.avcodec_version(), codec.major.number)
      ?? versionProblem("libavutil", codec.avutil_version(), codec.major.libavutil)
      ?? contextProblem() ?? frameProblem()
  }

  private func versionProblem(_ name: String, _ version: UInt32, _ expected: Int32) -> String? {
    version >> 16 == expected ? nil : "comes with \(name) \(version >> 16) instead of \(expected)"
  }

  private func contextProblem() -> String? {
    var context = codec.avcodec_alloc_context3(nil)
    defer { codec.avcodec_free_context(&context) }
    return optionProblem(
      UnsafeMutableRawPointer(context),
      [
        "err_detect", "max_samples", "threads", "pkt_timebase", "profile", "bits_per_raw_sample", "ar", "ch_layout",
        "b", "block_align", "frame_size",
      ])
  }

  private func optionProblem(_ context: UnsafeMutableRawPointer?, _ names: [String]) -> String? {
    guard let context else { return "has no memory" }
    return names.first { codec.av_opt_find(context, $0, nil, 0, 0) == nil }.map { "lacks the option \($0)" }
  }

  /// A copy of a frame has the flags of errors that the frame has.
  private func frameProblem() -> String? {
    var (frame, copy) = (codec.av_frame_alloc(), codec.av_frame_alloc())
    defer {
      codec.av_frame_free(&frame)
      codec.av_frame_free(&copy)
    }
    guard let frame, let copy else { return "has no memory" }
    let (errors, copied) = (codec.major.errors(of: frame), codec.major.errors(of: copy))
    guard errors.pointee == 0, copied.pointee == 0 else { return misplaced("AVFrame") }
    errors.pointee = 5
    guard codec.av_frame_copy_props(copy, frame) >= 0, copied.pointee == 5 else { return misplaced("AVFrame") }
    codec.av_frame_unref(copy)
    return copied.pointee == 0 ? nil : misplaced("AVFrame")
  }

  private func misplaced(_ structure: String) -> String { "has an unknown layout of \(structure)" }
}

// libavformat.
extension LibavCheck {
  /// The problem with libavformat or the libraries that it uses, as the end of a sentence.
  func problem(with format: segue_avformat) -> String? {
    if let problem = versionProblem("libavformat", format.avformat_version(), codec.major.number) ?? problem() {
      return problem
    }
    var kind = format.av_stream_get_class()
    let disposition = codec.av_opt_find(&kind, "disposition", nil, 0, AV_OPT_SEARCH_FAKE_OBJ)?.pointee.offset
    guard let field = MemoryLayout<segue_av_stream>.offset(of: \.disposition),
      disposition == codec.major.stream + Int32(field)
    else { return misplaced("AVStream") }
    var header = format.avformat_alloc_context()
    defer { format.avformat_close_input(&header) }
    let options = ["probesize", "max_streams", "format_whitelist", "protocol_whitelist"]
    return optionProblem(header, options) ?? open(&header, format) ?? fieldProblem(header, format)
  }

  /// An input with one tag of its own, one of its stream, and a chapter with another one (ffmpeg-formats(1), "Metadata").
  private static let sample = """
    ;FFMETADATA1
    title=input
    [STREAM]
    title=stream
    [CHAPTER]
    TIMEBASE=1/1000
    START=7
    END=9
    title=chapter

    """

  private func open(_ header: inout UnsafeMutablePointer<AVFormatContext>?, _ format: segue_avformat) -> String? {
    guard let kind = format.av_find_input_format("ffmetadata") else { return "lacks the format ffmetadata" }
    let bytes = Array(Self.sample.utf8)
    let buffer = format.av_malloc(bytes.count)?.assumingMemoryBound(to: UInt8.self)
    var input = format.avio_alloc_context(buffer, Int32(bytes.count), 0, nil, nil, nil, nil)
    defer {
      format.av_free(input?.pointee.buffer)
      format.avio_context_free(&input)
      header?.pointee.pb = nil
    }
    guard let buffer, let input else { return "has no memory" }
    buffer.update(from: bytes, count: bytes.count)
    input.pointee.buf_end = buffer + bytes.count
    header?.pointee.pb = input
    return format.avformat_open_input(&header, nil, kind, nil) < 0 ? "cannot read its own format" : nil
  }

  private func fieldProblem(_ header: UnsafeMutablePointer<AVFormatContext>?, _ format: segue_avformat) -> String? {
    let major = codec.major
    func isPlausible<Structure>(_ pointer: UnsafeMutablePointer<Structure>?) -> Bool {
      isPlausible(pointer.map { OpaquePointer($0) })
    }
    // A field of another kind is no address of an allocation near this one.
    func isPlausible(_ pointer: OpaquePointer?) -> Bool {
      let (address, near) = (UInt(bitPattern: pointer), UInt(bitPattern: header))
      return address % 16 == 0 && max(address, near) - min(address, near) < 1 << 42
    }
    func title(_ metadata: OpaquePointer?) -> String? {
      guard isPlausible(metadata), let entry = format.av_dict_get(metadata, "title", nil, 0) else { return nil }
      return entry.pointee.value.map { String(cString: $0) }
    }
    guard let header, header.pointee.nb_streams == 1, let stream = header.pointee.streams?[0],
      major.duration(of: header) == 9000, title(major.metadata(of: header)) == "input"
    else { return misplaced("AVFormatContext") }
    let chapters = major.chapters(of: header)
    guard chapters.count == 1, isPlausible(UnsafeMutablePointer(mutating: chapters.baseAddress)),
      isPlausible(chapters[0]), let chapter = chapters[0]?.pointee, chapter.start == 7,
      chapter.time_base.den == 1000, title(chapter.metadata) == "chapter"
    else { return misplaced("AVFormatContext") }
    let (fields, parameters) = (major.fields(of: stream).pointee, major.codecParameters(of: stream))
    guard fields.time_base.num == 1, fields.duration == AV_NOPTS_VALUE, title(fields.metadata) == "stream",
      isPlausible(parameters), parameters?.pointee.codec_type == AVMEDIA_TYPE_DATA
    else { return misplaced("AVStream") }
    return nil
  }
}
