internal import ByteIO
internal import CLibav

/// Facts of headers that libavformat does not report for some formats: the place of the music among the decoded frames,
/// and the number of frames.
struct LibavHeaderFacts {
  /// The frames that are heard, of those that are decoded.
  private(set) var music = 0..<Int64.max
  /// The bands of Musepack of version 7 beside the lowest, whose last frame libavformat does not give.
  private(set) var musepackBandCount: Int?
  /// The number of frames that are heard; `nil` if it is not known, or only the time stamps tell it.
  private(set) var frameCount: Int64?

  init(of source: any ByteSource, _ demuxer: LibavDemuxer) throws(LibavError) {
    switch demuxer.formatName {
    case "mpc", "mpc8":
      let header = try Self.bytesBehindTag(MusepackHeader.byteCount, of: source)
      (music, musepackBandCount) = (MusepackHeader.music(header) ?? music, MusepackHeader.bandCount(header))
      if music.upperBound < .max { frameCount = Int64(music.count) }
    case "wv":
      let header = try LibavAudioFile.firstBytes(WavPackPacket.headerByteCount, of: source)
      music = 0..<(header.withUnsafeBytes(WavPackPacket.frameCount) ?? .max)
    case "dsf":
      // DSF File Format Specification 1.01: "DSD " of 28 bytes, then "fmt ", in it at 36 the samples of a channel, u64.
      let header = try LibavAudioFile.firstBytes(28 + 44, of: source)
      guard header.count == 28 + 44 else { return }
      let count = header[64..<72].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      if 1..<1 << 48 ~= count { frameCount = Int64(count / 8) }
    case "gsm":
      // ETSI EN 300 961: 160 samples in 33 bytes.
      if let byteCount = source.byteCount { frameCount = byteCount / 33 * 160 }
    case "wav", "w64":
      // Blocks of one size, of which the header or the size says how many there are.
      let stream = demuxer.stream
      let countsFrames = stream.time_base.num == 1 && Int64(stream.time_base.den) == demuxer.claims?.sampleRate
      // The last block is decoded whole, and ffmpeg 7 counts only what was encoded.
      let block: Int64 = 320
      if demuxer.codecName == "gsm_ms", 1..<1 << 48 ~= stream.duration, countsFrames {
        frameCount = (stream.duration + block - 1) / block * block
      }
    default: break
    }
  }

  /// The packet that libavformat does not give at the end, if music is missing there; else one of silence, which brings
  /// out what the decoder holds. `nil` if there is none.
  func lastPacket(behind tail: MusepackTail?, of source: any ByteSource) throws(LibavError) -> [UInt8]? {
    guard let musepackBandCount else { return nil }
    let packet = try tail?.packet { byteCount, byteOffset throws(LibavError) in
      try LibavAudioFile.firstBytes(byteCount, of: source, from: byteOffset)
    }
    return packet ?? MusepackTail.silence(bandCount: musepackBandCount)
  }

  /// The first bytes behind an ID3v2 tag: "ID3", version, flags, size in four bytes of seven bits.
  private static func bytesBehindTag(_ byteCount: Int, of source: any ByteSource) throws(LibavError) -> [UInt8] {
    let head = try LibavAudioFile.firstBytes(byteCount, of: source)
    guard head.count >= 10, head.starts(with: Array("ID3".utf8)) else { return head }
    let tagByteCount = 10 + head[6..<10].reduce(0) { $0 << 7 | Int64($1 & 0x7f) }
    return try LibavAudioFile.firstBytes(byteCount, of: source, from: tagByteCount)
  }
}
