/// MPEG-4 files made by hand, box by box.
enum MPEG4Synthesis {
  /// A box of that type.
  static func box(_ type: String, _ content: [UInt8]..., isLong: Bool = false) -> [UInt8] {
    let body = Array(content.joined())
    let name = type.unicodeScalars.map { UInt8($0.value) }
    return isLong
      ? u32(1) + name + u64(UInt64(body.count + 16)) + body : u32(UInt32(body.count + 8)) + name + body
  }

  /// A box with a version and flags.
  static func full(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ content: [UInt8]...) -> [UInt8] {
    box(type, [version] + Synthesis.bigEndian(flags, 3) + content.joined())
  }

  static func u16(_ value: Int) -> [UInt8] { Synthesis.bigEndian(UInt32(truncatingIfNeeded: value), 2) }
  static func u32(_ value: UInt32) -> [UInt8] { Synthesis.bigEndian(value, 4) }
  static func u64(_ value: UInt64) -> [UInt8] { u32(UInt32(value >> 32)) + u32(UInt32(truncatingIfNeeded: value)) }
  static func table(_ entries: [[UInt8]]) -> [UInt8] { u32(UInt32(entries.count)) + entries.joined() }

  /// AAC-LC, 44.1 kHz, two channels.
  static let aacConfiguration: [UInt8] = [0x12, 0x10]

  /// `esds` with this configuration.
  static func esds(_ configuration: [UInt8] = aacConfiguration, objectType: UInt8 = 0x40) -> [UInt8] {
    func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80, UInt8(content.count)] + content }
    let specific = configuration.isEmpty ? [] : descriptor(5, configuration)
    let decoder = descriptor(4, [objectType, 0x15, 0, 0, 0] + u32(0) + u32(96000) + specific)
    return full("esds", descriptor(3, [0, 1, 0] + decoder + descriptor(6, [2])))
  }

  /// A sound description: version 0, or one of QuickTime's with more fields.
  static func entry(
    _ type: String, channels: Int = 2, bits: Int = 16, rate: UInt32 = 44100, version: Int = 0, fields: [UInt8] = [],
    _ boxes: [UInt8] = []
  ) -> [UInt8] {
    box(
      type, [0, 0, 0, 0, 0, 0, 0, 1], u16(version), [0, 0, 0, 0, 0, 0], u16(channels), u16(bits), [0, 0, 0, 0],
      u32(rate << 16), fields, boxes)
  }

  /// The contents of a track, to be changed at will.
  struct Track {
    var id: UInt32 = 1
    var handler = "soun"
    var isEnabled = true
    var timescale: UInt32 = 44100
    var entry = MPEG4Synthesis.entry("mp4a", MPEG4Synthesis.esds())
    /// `stsz`; or the whole box.
    var sizes: [UInt32] = []
    var sizeBox: [UInt8]?
    /// Samples and duration.
    var durations: [(UInt32, UInt32)] = []
    /// First chunk, samples in each.
    var chunkRuns: [(UInt32, UInt32)] = [(1, 1000)]
    var chunkOffsets: [Int] = []
    var hasLongOffsets = false
    /// Duration, media time.
    var edits: [(UInt32, Int32)] = []
    /// More boxes of `trak`, of `stbl`.
    var boxes: [UInt8] = []
    var tableBoxes: [UInt8] = []

    var box: [UInt8] {
      let offsets =
        hasLongOffsets
        ? full("co64", table(chunkOffsets.map { u64(UInt64($0)) }))
        : full("stco", table(chunkOffsets.map { u32(UInt32($0)) }))
      let tables = MPEG4Synthesis.box(
        "stbl", full("stsd", u32(1), entry), full("stts", table(durations.map { u32($0.0) + u32($0.1) })),
        full("stsc", table(chunkRuns.map { u32($0.0) + u32($0.1) + u32(1) })),
        sizeBox ?? full("stsz", u32(0), table(sizes.map(u32))), offsets, tableBoxes)
      let media = MPEG4Synthesis.box(
        "mdia", full("mdhd", u32(0), u32(0), u32(timescale), u32(0), u32(0)),
        full("hdlr", u32(0), Array(handler.utf8), [UInt8](repeating: 0, count: 13)),
        MPEG4Synthesis.box("minf", full("smhd", u32(0)), tables))
      let list = full("elst", table(edits.map { u32($0.0) + u32(UInt32(bitPattern: $0.1)) + u32(0x10000) }))
      let header = full(
        "tkhd", flags: isEnabled ? 3 : 2, u32(0), u32(0), u32(id), [UInt8](repeating: 0, count: 68))
      return MPEG4Synthesis.box(
        "trak", header, edits.isEmpty ? [] : MPEG4Synthesis.box("edts", list), boxes, media)
    }
  }

  static let ftyp = box("ftyp", Array("M4A ".utf8), u32(0), Array("M4A isom".utf8))

  /// `moov` with these tracks and what else.
  static func moov(_ tracks: [Track], timescale: UInt32 = 1000, _ more: [UInt8] = []) -> [UInt8] {
    box(
      "moov", full("mvhd", u32(0), u32(0), u32(timescale), u32(0), [UInt8](repeating: 0, count: 80)),
      Array(tracks.map(\.box).joined()), more)
  }

  /// Packets whose bytes say which they are.
  static func packets(_ sizes: [UInt32]) -> [[UInt8]] {
    sizes.enumerated().map { number, size in (0..<size).map { UInt8(truncatingIfNeeded: Int($0) + number * 17) } }
  }

  /// A file with `moov` in front and one track in one chunk: AAC of these sizes unless changed.
  static func file(
    sizes: [UInt32] = [100, 50, 200, 7], moreInMovie: [UInt8] = [], _ change: (inout Track) -> Void = { _ in }
  ) -> [UInt8] {
    var track = Track(sizes: sizes, durations: [(UInt32(sizes.count), 1024)], chunkOffsets: [0])
    change(&track)
    let start = ftyp.count + moov([track], moreInMovie).count + 8
    track.chunkOffsets = track.chunkOffsets.map { $0 + start }
    return ftyp + moov([track], moreInMovie) + box("mdat", Array(packets(sizes).joined()))
  }

  /// The same with `moov` behind, in a `mdat` whose size is in 64 bits.
  static func fileWithMovieBehind(_ sizes: [UInt32] = [100, 50, 200, 7]) -> [UInt8] {
    let track = Track(
      sizes: sizes, durations: [(UInt32(sizes.count), 1024)], chunkOffsets: [ftyp.count + 16], hasLongOffsets: true)
    return ftyp + box("mdat", Array(packets(sizes).joined()), isLong: true) + moov([track])
  }

  /// A fragment of track 1: sizes and durations by packet, a run with its place from `moof`.
  static func fragment(_ sizes: [UInt32], duration: UInt32 = 1024) -> [UInt8] {
    func moof(_ distance: UInt32) -> [UInt8] {
      box(
        "moof", full("mfhd", u32(1)),
        box(
          "traf", full("tfhd", flags: 0x20000, u32(1)),
          full(
            "trun", flags: 0x301, u32(UInt32(sizes.count)), u32(distance),
            Array(sizes.map { u32(duration) + u32($0) }.joined()))))
    }
    return moof(UInt32(moof(0).count + 8)) + box("mdat", Array(packets(sizes).joined()))
  }

  /// `moov` of a file whose packets are all in fragments.
  static let fragmentedMovie = moov([Track()], defaultsOfFragments)
  static let defaultsOfFragments = box("mvex", full("trex", u32(1), u32(1), u32(1024), u32(0), u32(0)))

  /// An item of `ilst`.
  static func item(_ name: String, _ value: [UInt8], type: UInt32 = 1) -> [UInt8] {
    box(name, box("data", u32(type), u32(0), value))
  }

  static func freeForm(_ name: String, _ value: String) -> [UInt8] {
    box(
      "----", full("mean", Array("com.apple.iTunes".utf8)), full("name", Array(name.utf8)),
      box("data", u32(1), u32(0), Array(value.utf8)))
  }

  /// `udta` with a list of these items.
  static func itemList(_ items: [UInt8]...) -> [UInt8] {
    box(
      "udta",
      full(
        "meta", full("hdlr", u32(0), Array("mdirappl".utf8), [UInt8](repeating: 0, count: 10)),
        box("ilst", Array(items.joined()))))
  }
}
