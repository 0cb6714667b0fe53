internal import AudioModel

/// The contents of one `trak` (ISO/IEC 14496-12 8.3).
struct MovieTrack {
  var id: UInt32 = 0
  var isEnabled = false
  /// `soun` is sound.
  var handler: String?
  /// Units per second of the track's own times.
  var timescale: UInt32 = 0
  var edits: [Edit] = []
  var description: SampleDescription?
  /// Why `description` is missing.
  var refusal: ContainerError?
  var tables = SampleTables()
  /// Packets to decode ahead, from a sample group of the type 'roll'.
  var rollDistance = 0
  /// The tracks that may hold the chapters' titles: of texts, or of pictures.
  private(set) var chapterTrackIDs: [UInt32] = []

  /// Reads `chap`: the numbers of tracks, u32.
  mutating func readChapterTracks(_ content: RawSpan) {
    let maximumCount = 16
    chapterTrackIDs = (0..<min(maximumCount, content.byteCount / 4)).map { content.bigEndian32(at: 4 * $0) }
  }

  /// An entry of `elst` (8.6.6).
  struct Edit {
    /// In the movie's time scale.
    var duration: UInt64
    /// In the track's; -1 is silence.
    var mediaTime: Int64
  }

  var isAudio: Bool { handler == "soun" }
  var isText: Bool { handler == "text" || handler == "sbtl" }

  /// True if it is to be played rather than `other`, which came before: supported and enabled ones first.
  func isBetter(than other: MovieTrack) -> Bool {
    func rank(_ track: MovieTrack) -> Int { (track.description == nil ? 0 : 2) + (track.isEnabled ? 1 : 0) }
    return rank(self) > rank(other)
  }

  /// Frames per unit of the track's own times.
  var framesPerUnit: Double {
    guard let format = description?.format, timescale > 0 else { return 1 }
    return format.sampleRate / Double(timescale)
  }

  // MARK: Boxes

  // tkhd: version u8, flags u24 (1: enabled); times of 4 bytes each or in version 1 of 8; the track's number.
  mutating func readHeader(_ content: RawSpan) {
    let offset = content.byteCount > 0 && content[0] == 1 ? 20 : 12
    guard content.byteCount >= offset + 4 else { return }
    isEnabled = content[3] & 1 != 0
    id = content.bigEndian32(at: offset)
  }

  // mdhd: version, flags; two times of 4 or 8 bytes; units per second.
  mutating func readMediaHeader(_ content: RawSpan) { timescale = content.timescale ?? 0 }

  // elst: version, flags, count u32; duration and media time of 4 or 8 bytes, rate of 4.
  mutating func readEdits(_ content: RawSpan) {
    guard content.byteCount >= 8 else { return }
    let isLong = content[0] == 1
    let entryByteCount = isLong ? 20 : 12
    let count = min(Int(content.bigEndian32(at: 4)), (content.byteCount - 8) / entryByteCount)
    edits = (0..<count).map { number in
      let offset = 8 + number * entryByteCount
      return isLong
        ? Edit(
          duration: content.bigEndian64(at: offset), mediaTime: Int64(bitPattern: content.bigEndian64(at: offset + 8)))
        : Edit(
          duration: UInt64(content.bigEndian32(at: offset)),
          mediaTime: Int64(Int32(bitPattern: content.bigEndian32(at: offset + 4))))
    }
  }

  // sgpd: version u8, flags u24, type; in version 1 the length of entries, in 2 the default one; count; entries.
  mutating func readGroupDescription(_ content: RawSpan) {
    guard content.byteCount >= 16, content.fourCharacters(at: 4) == "roll" else { return }
    let offset = content[0] == 0 ? 12 : 16
    guard content.byteCount >= offset + 2 else { return }
    let distance = Int16(bitPattern: content.bigEndian16(at: offset))
    rollDistance = min(64, max(0, -Int(distance)))
  }

  mutating func readDescription(_ content: RawSpan, at offset: Int64) {
    do throws(ContainerError) { description = try SampleDescription(content, at: offset) } catch { refusal = error }
  }

  // MARK: Derived facts

  /// The part of all frames that is played: `total` frames are in the packets, `gapless` is what
  /// iTunes says of it.
  func trim(
    _ total: Int64, framesPerPacket: Int, movieTimescale: UInt32, gapless: GaplessInformation?
  ) -> AudioFilePacketTableInfo {
    // The last packet may be shorter.
    var end = frames(tables.duration)
    if tables.duration < 0 || end > total || end <= total - Int64(max(1, framesPerPacket)) { end = total }
    let edit = edit(movieTimescale: movieTimescale, end: end)
    if let gapless, edit == nil || gapless.accounts(for: total), let trim = gapless.fitted(to: total) { return trim }
    let start = min(edit?.lowerBound ?? Int64(description?.primingFrames ?? 0), end)
    end = max(start, min(end, edit?.upperBound ?? end))
    return AudioFilePacketTableInfo(
      validFrames: end - start, primingFrames: Int(start), remainderFrames: Int(total - end))
  }

  /// Frames to be dropped at the start, where it is not known how many follow.
  func priming(movieTimescale: UInt32) -> Int {
    Int(edit(movieTimescale: movieTimescale, end: 0)?.lowerBound ?? Int64(description?.primingFrames ?? 0))
  }

  /// From the first edit that is no silence to the last, in frames. An end that is `end` but for the rounding of the
  /// movie's time scale is `end`.
  func edit(movieTimescale: UInt32, end: Int64) -> Range<Int64>? {
    let sounding = edits.filter { $0.mediaTime >= 0 }
    guard let first = sounding.first, let last = sounding.last else { return nil }
    let start = frames(first.mediaTime)
    // Without a duration, as in fragmented files, to the end.
    guard last.duration > 0, movieTimescale > 0, let rate = description?.format.sampleRate else {
      return start..<max(start, end)
    }
    let unit = rate / Double(movieTimescale)
    let declared = Double(frames(last.mediaTime)) + Double(last.duration) * unit
    let isRounded = abs(declared - Double(end)) <= unit * Double(sounding.count) + 1
    return start..<max(start, isRounded || declared >= Double(end) ? end : Int64(declared.rounded()))
  }

  /// A time of the track in frames.
  func frames(_ time: Int64) -> Int64 {
    let frames = Double(time) * framesPerUnit
    return frames.magnitude < Double(ParserStep.maximumByteOffset) ? Int64(frames.rounded()) : 0
  }
}

extension RawSpan {
  /// Units per second in `mvhd` and `mdhd`.
  var timescale: UInt32? {
    let offset = byteCount > 0 && self[0] == 1 ? 20 : 12
    return byteCount >= offset + 4 ? bigEndian32(at: offset) : nil
  }
}
