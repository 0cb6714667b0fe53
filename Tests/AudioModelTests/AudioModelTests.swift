import AudioModel
import Testing

struct AudioModelTests {
  @Test(
    arguments: [
      (FourCharCode("MPG3"), 0x4d50_4733, "MPG3"), (FourCharCode("aac"), 0x6161_6320, "aac "),
      (FourCharCode(""), 0x2020_2020, "    "),
      (FourCharCode("abcdef"), 0x6162_6364, "abcd"), (FourCharCode(rawValue: 0), 0, "...."),
      (FourCharCode(rawValue: 0x1b41_7fff), 0x1b41_7fff, ".A.."),
    ] as [(FourCharCode, UInt32, String)])
  func `a code is four characters, and never sends a control byte to a terminal`(
    code: FourCharCode, number: UInt32, text: String
  ) {
    #expect(code.rawValue == number)
    #expect(code.description == text)
  }

  @Test(
    arguments: [
      ("typ?", 1_954_115_647), ("fmt?", 1_718_449_215), ("pty?", 1_886_681_407), ("!siz", 561_211_770),
      ("optm", 1_869_640_813), ("pck?", 1_885_563_711), ("dta?", 1_685_348_671), ("unk?", 1_970_170_687),
      ("more", 1_836_020_325), ("wht?", 2_003_334_207), ("dsc!", 1_685_283_617), ("stop", 1_937_010_544),
    ] as [(String, UInt32)])
  func `codes have the published numbers`(text: String, number: UInt32) {
    #expect(FourCharCode(rawValue: number).description == text)
  }

  @Test(arguments: [
    (PCMFormat.SampleFormat.s16, 2, 4), (.s24in32, 4, 8), (.s32, 4, 8), (.f32, 4, 8),
  ])
  func `a frame is one sample of each channel`(format: PCMFormat.SampleFormat, sample: Int, frame: Int) {
    #expect(format.byteCount == sample)
    #expect(PCMFormat(sampleRate: 44_100, channelCount: 2, sampleFormat: format).bytesPerFrame == frame)
  }

  @Test func `the next track of a release is known by its numbers`() {
    func track(_ number: Int?, disc: Int? = nil, album: String? = "Live", by artist: String? = nil) -> TrackTags {
      var tags = TrackTags()
      (tags.trackNumber, tags.discNumber, tags.album, tags.albumArtist) = (number, disc, album, artist)
      return tags
    }
    #expect(track(3).isFollowed(by: track(4)) && track(3, disc: 1).isFollowed(by: track(4)))
    #expect(track(9, disc: 1).isFollowed(by: track(1, disc: 2)))
    for (first, second) in [
      (track(3), track(5)), (track(4), track(3)), (track(3), track(3)), (track(3), track(4, album: "Dead")),
      (track(3), track(4, by: "Others")), (track(nil), track(1)), (track(3), track(nil)), (track(3, disc: 2), track(4)),
      (track(3, album: nil), track(4, album: nil)), (track(.max), track(.min)),
    ] { #expect(!first.isFollowed(by: second)) }
  }

  @Test func `unknown properties of a file are nil, and its duration is not flagged`() {
    let information = MediaInformation()
    #expect(information.duration == nil && !information.durationIsEstimated && information.isOptimized)
    #expect(information.tags == TrackTags())
  }
}
