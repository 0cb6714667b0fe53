internal import CLibav

/// A major version of FFmpeg's libraries: the number in the names of libavformat and libavcodec. Within one, fields stay
/// where they are (docs/decisions/0051-libav-majors.md).
typealias LibavMajor = segue_av_major

extension LibavMajor {
  /// The versions that can be used, the newest first: FFmpeg 9, 8, 7, 6 and 5.1. `scripts/check-libav` prints the line of
  /// an installed one.
  static let all = [
    LibavMajor(63, stream: 32, 16, header: 104, 72, 80, 192, frame: 320),
    LibavMajor(62, stream: 32, 16, header: 104, 72, 80, 192, frame: 320),
    LibavMajor(61, stream: 32, 16, header: 104, 72, 80, 192, frame: 344),
    LibavMajor(60, stream: 32, 16, header: 72, 164, 168, 176, frame: 376),
    LibavMajor(59, stream: 16, 208, header: 72, 164, 168, 176, frame: 376),
  ]

  private init(
    _ number: Int32, stream: Int32, _ codecpar: Int32, header duration: Int32, _ nb_chapters: Int32, _ chapters: Int32,
    _ metadata: Int32, frame decode_error_flags: Int32
  ) {
    self.init(
      number: number, stream: stream, codecpar: codecpar, duration: duration, nb_chapters: nb_chapters,
      chapters: chapters, metadata: metadata, decode_error_flags: decode_error_flags)
  }

  /// The number of the libavutil that belongs to it.
  var libavutil: Int32 { number - 2 }

  func codecParameters(of stream: OpaquePointer) -> UnsafeMutablePointer<AVCodecParameters>? {
    field(codecpar, of: UnsafeMutableRawPointer(stream)).pointee
  }

  func fields(of stream: OpaquePointer) -> UnsafeMutablePointer<segue_av_stream> {
    field(self.stream, of: UnsafeMutableRawPointer(stream))
  }

  /// The length of an input in units of `AV_TIME_BASE`.
  func duration(of header: UnsafeMutablePointer<AVFormatContext>) -> Int64 { field(duration, of: header).pointee }

  func metadata(of header: UnsafeMutablePointer<AVFormatContext>) -> OpaquePointer? {
    field(metadata, of: header).pointee
  }

  func chapters(
    of header: UnsafeMutablePointer<AVFormatContext>
  ) -> UnsafeBufferPointer<UnsafeMutablePointer<AVChapter>?> {
    let start: UnsafeMutablePointer<UnsafeMutablePointer<AVChapter>?>? = field(chapters, of: header).pointee
    let count: UInt32 = field(nb_chapters, of: header).pointee
    return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }

  /// Flags of errors that a decoder concealed.
  func errors(of frame: UnsafeMutablePointer<AVFrame>) -> UnsafeMutablePointer<Int32> {
    field(decode_error_flags, of: frame)
  }

  private func field<Value>(_ offset: Int32, of structure: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
    (structure + Int(offset)).assumingMemoryBound(to: Value.self)
  }
}
