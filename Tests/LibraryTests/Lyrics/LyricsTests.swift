import ByteIO
import Glibc
import Library
import Testing

/// Lyrics as text with times (LRC) and without, and the files beside the music.
struct LyricsTests {
  @Test func `lines with times are sorted, in any order of the text`() {
    let lyrics = Lyrics(text: "[ar:Bach]\n[00:12.50]second\n\n[00:01:25]first\r\n[01:02]third\nno time")
    #expect(lyrics.isSynchronized)
    #expect(lyrics.lines.map(\.text) == ["first", "second", "third", "no time"])
    #expect(lyrics.lines.map(\.time) == [1.25, 12.5, 62, 62])
  }

  @Test func `a refrain has several times, a pause has no text`() {
    let lyrics = Lyrics(text: "[00:02.00][00:08.000] refrain\n[00:05]\n[00:06] verse ")
    #expect(lyrics.lines.map(\.text) == ["refrain", "", "verse", "refrain"])
    #expect(lyrics.lines.map(\.time) == [2, 5, 6, 8])
  }

  @Test(arguments: [("+500", 1.5), ("500", 1.5), ("-500", 2.5), ("5000", 0), ("no", 2), ("99999999999999999999", 2)])
  func `a positive offset shows lines earlier`(offset: String, expected: Double) {
    #expect(Lyrics(text: "[offset:\(offset)]\n[00:02.00]line").lines.map(\.time) == [expected])
    #expect(Lyrics(text: "[00:02.00]line\n[OFFSET: \(offset)]").lines.map(\.time) == [expected])
  }

  @Test func `words have times of their own`() {
    let lyrics = Lyrics(text: "[00:10.00]<00:10.00>One <00:11.50>twö <00:12.00>")
    #expect(lyrics.lines[0].text == "One twö ")
    #expect(lyrics.lines[0].words.map(\.offset) == [0, 4, 8])
    #expect(lyrics.sungCharacters(of: 0, at: 9) == 0)
    #expect(lyrics.sungCharacters(of: 0, at: 10) == 4)
    #expect(lyrics.sungCharacters(of: 0, at: 11.5) == 8)
    #expect(lyrics.nextChange(after: 10) == 11.5)
    #expect(lyrics.nextChange(after: 12) == nil)
  }

  @Test func `text without times stays as it is, without blank lines at its ends`() {
    let lyrics = Lyrics(text: "\n\n  One\n\n[Chorus]\n<3 two\n [12] three\n\n")
    #expect(!lyrics.isSynchronized)
    #expect(lyrics.lines.map(\.text) == ["One", "", "[Chorus]", "<3 two", "[12] three"])
    #expect(lyrics.line(at: 1000) == nil)
    #expect(lyrics.nextChange(after: 0) == nil)
  }

  @Test func `the line of a moment is the last one that has begun`() {
    let lyrics = Lyrics(text: "[00:01]a\n[00:03]b\n[00:03]c")
    #expect([0, 0.999, 1, 2.9, 3, 1e9].map { lyrics.line(at: $0) } == [nil, nil, 0, 0, 2, 2])
    #expect(lyrics.nextChange(after: 1) == 3)
  }

  @Test(arguments: [
    "[", "]", "[]", "[:]", "[1:]", "[:1]", "[00:00", "[-1:00]x", "[1:2:3:4]x", "[999999:00]x",
    "[00:00.]x", "[00:00.1234567890]x", "[1:2.3:4]x", "[00:00,1.2]x", "[1:-2]x", "[٠٠:٠١]x", "<00:01>",
  ]) func `a damaged time is text`(row: String) {
    let lyrics = Lyrics(text: row)
    #expect(!lyrics.isSynchronized)
    #expect(lyrics.lines.map(\.text) == [row])
  }

  @Test func `hostile text ends at a limit`() {
    #expect(Lyrics(text: String(repeating: "[00:01]", count: 100_000) + "x").lines.count <= Lyrics.lineLimit)
    #expect(Lyrics(text: String(repeating: "[00:01]x\n", count: 20_000)).lines.count == Lyrics.lineLimit)
    #expect(Lyrics(text: String(repeating: "x\n", count: 20_000)).lines.count == Lyrics.lineLimit)
    #expect(
      Lyrics(text: String(repeating: "[00:01]" + String(repeating: "<", count: 500) + "\n", count: 50)).lines.count
        == 50)
  }

  @Test(arguments: [
    ("[1:02:03.45]", 3723.45), ("[0:00:01.5]", 1.5), ("[00:12,34]", 12.34), ("[00:12.345678]", 12.345678),
    ("[00:75.5]", 75.5), ("[90:00]", 5400), ("[1:75:00.0]", 8100), ("[00:12:34]", 12.34), ("[ 00:12.34 ]", 12.34),
    ("[0:1]", 1), ("\u{feff}[00:12.34]", 12.34),
  ]) func `times are written in many ways`(stamp: String, expected: Double) {
    let lyrics = Lyrics(text: stamp + "line\n[99:00:00.0]end")
    #expect(lyrics.lines.map(\.text) == ["line", "end"])
    #expect(abs((lyrics.lines.first?.time ?? -1) - expected) < 1e-9)
  }

  @Test(arguments: ["\n", "\r", "\r\n"]) func `lines without a time stay beside the line before them`(end: String) {
    let rows = [
      "\u{feff}[00:02]One", "Eins", "", "[Chorus]", "[Verse: both]", "[00:04][00:08]Two", "Zwei", "[ti:Song]",
      "[00:06]",
    ]
    let lyrics = Lyrics(text: "A head\n[la:de]\n" + rows.joined(separator: end))
    #expect(
      lyrics.lines.map(\.text)
        == ["A head", "One", "Eins", "[Chorus]", "[Verse: both]", "Two", "Zwei", "", "Two", "Zwei"])
    #expect(lyrics.lines.map(\.time) == [0, 2, 2, 2, 2, 4, 4, 6, 8, 8])
  }

  @Test func `words have their times in square brackets, too, and other brackets are words`() {
    let lyrics = Lyrics(text: "[00:10]One [00:11,5]two [x2] [oh: no]")
    #expect(lyrics.lines.map(\.text) == ["One two [x2] [oh: no]"])
    #expect(lyrics.lines[0].words == [.init(time: 11.5, offset: 4)])
  }

  @Test(arguments: [true, false], [true, false]) func `files in UTF-16 are read, with a mark and without`(
    isBigEndian: Bool, hasMark: Bool
  ) {
    let folder = TemporaryFolder()
    let text = (hasMark ? "\u{feff}" : "") + "[00:01]träum 漢字 🎧\r\n[00:02]Ω"
    let bytes = text.utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xff)]
      return isBigEndian ? bytes : bytes.reversed()
    }
    folder.write(BytePath("Song.lrc"), bytes)
    let lyrics = LyricsFiles(besides: folder["Song.flac"]).timed.map { Lyrics(text: $0) }
    #expect(lyrics?.lines.map(\.text) == ["träum 漢字 🎧", "Ω"] && lyrics?.lines.map(\.time) == [1, 2])
  }

  @Test func `files beside the music are found by their name, capitals aside`() {
    let folder = TemporaryFolder()
    folder.write(BytePath("Song.LRC"), Array("\u{feff}[00:01]träum".utf8))
    folder.write(BytePath("song.txt"), [0x74, 0x72, 0xe4, 0x75, 0x6d])
    folder.write(BytePath("Other.lrc"), Array("[00:01]x".utf8))
    let files = LyricsFiles(besides: folder["Song.flac"])
    #expect(files.timed == "[00:01]träum")
    #expect(files.plain == "träum")
    #expect(LyricsFiles(besides: folder["None.flac"]) == LyricsFiles())
  }

  @Test func `a FIFO, a folder and a long file are not read as lyrics`() {
    let folder = TemporaryFolder()
    folder.write(BytePath("Song.lrc/x"))
    folder.write(BytePath("Song.txt"), repeatElement(UInt8(ascii: "x"), count: (1 << 20) + 1))
    #expect(LyricsFiles(besides: folder["Song.flac"]) == LyricsFiles())
    #expect(folder["Pipe.lrc"].withCString { mkfifo($0, 0o600) } == 0)
    #expect(LyricsFiles(besides: folder["Pipe.flac"]) == LyricsFiles())
  }
}
