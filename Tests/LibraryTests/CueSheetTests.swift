import Testing

@testable import Library

/// Cue sheets with any quoting and charset (issue 5, point 6).
struct CueSheetTests {
  private func track(
    _ number: Int, _ start: Int, _ title: String? = nil, by performer: String? = nil, in file: String = "a.wav",
    gapStart: Int? = nil, pregap: Int = 0
  ) -> CueSheet.Track {
    CueSheet.Track(
      file: Array(file.utf8), number: number, title: title, performer: performer, gapStart: gapStart, start: start,
      pregap: pregap)
  }

  @Test func `tracks of one file, with gaps in it and before it`() {
    let sheet = CueSheet(
      Array(
        """
        REM GENRE Baroque
        PERFORMER "J. S. Bach"
        TITLE "Goldberg"
        FILE "a.wav" WAVE
          TRACK 01 AUDIO
            TITLE "Aria "mit" Quotes"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE 'It's one'
            PERFORMER Gould
            FLAGS DCP
            INDEX 00 02:01:70
            INDEX 01 02:03:74
            INDEX 02 02:10:00
          track 3 audio
            PREGAP 00:02:00
            INDEX 01 120:00:00
        """.utf8))
    #expect(sheet.title == "Goldberg" && sheet.performer == "J. S. Bach")
    #expect(
      sheet.tracks == [
        track(1, 0, "Aria \"mit\" Quotes", by: "J. S. Bach"),
        track(2, 123 * 75 + 74, "It's one", by: "Gould", gapStart: 121 * 75 + 70),
        track(3, 7200 * 75, by: "J. S. Bach", pregap: 150),
      ])
  }

  @Test(
    arguments: [
      ("FILE \"a b.wav\" WAVE", "a b.wav"), ("FILE a b.wav WAVE", "a b.wav"), ("FILE 'a\"b' MP3", "a\"b"),
      ("FILE \"a\"b\".wav\" WAVE", "a\"b\".wav"), ("FILE a.wav", "a.wav"), ("\u{feff}FILE \"a.wav\"", "a.wav"),
    ])
  func `what a file is called`(line: String, name: String) {
    let sheet = CueSheet(Array("\(line)\r\nTRACK 01 AUDIO\r\nINDEX 01 00:00:00\r\n".utf8))
    #expect(sheet.tracks.map { String(decoding: $0.file, as: UTF8.self) } == [name])
  }

  @Test func `several files, data tracks, and text in Latin-1`() {
    let text = "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 MODE1/2352\nINDEX 01 00:01:00\n"
    let latin = Array("FILE b.wav WAVE\nTRACK 03 AUDIO\nTITLE F".utf8) + [0xfc] + Array("r\nINDEX 01 00:00:01\n".utf8)
    #expect(CueSheet(Array(text.utf8) + latin).tracks == [track(1, 0), track(3, 1, "Für", in: "b.wav")])
  }

  @Test(
    arguments: ["", "INDEX 01 00:00:00", "FILE a WAVE\nINDEX 01 00:00:00", "TRACK 01 AUDIO\nINDEX 01 00:00:00"]
      + ["00:60:00", "00:00:75", "-1:00:00", "0:0", "99999999999:00:00", "a:b:c", ""].map {
        "FILE a WAVE\nTRACK 01 AUDIO\nINDEX 01 \($0)"
      })
  func `what makes no sense gives no track`(text: String) {
    #expect(CueSheet(Array(text.utf8)).tracks.isEmpty)
  }
}
