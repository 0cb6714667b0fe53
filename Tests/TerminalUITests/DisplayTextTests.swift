import AudioModel
import Playback
import Testing

@testable import Cells
@testable import TerminalUI

/// Nothing from a tag or a file name reaches the terminal as a command, and no cluster is split.
struct DisplayTextTests {
  private func shown(_ text: String, columns: Int = 40, _ typography: Typography = .wide) -> String {
    DisplayText(text, columns: columns, typography: typography).string
  }

  @Test(arguments: [
    ("plain", "plain"), ("\u{1b}[31mred", "\u{fffd}[31mred"), ("a\u{9b}31mb", "a\u{fffd}31mb"),
    ("tab\there\r\nnew", "tab here new"), ("\u{202e}olleh\u{2066}", "olleh"), ("a\u{200d}b\u{200b}\u{feff}", "ab"),
    ("\u{301}x", " \u{301}x"), ("e\u{301}", "e\u{301}"), ("a\u{2028}b", "a b"), ("\u{ad}x", "x"),
    ("👨‍👩‍👧‍👦!", "👨!"), ("👍🏽", "👍"), ("🇯🇵", "JP"), ("❤️", "❤"), ("\u{e0041}x", "x"), ("\u{378}", "\u{fffd}"),
    ("z" + String(repeating: "\u{310}", count: 10_000), "z\u{310}\u{310}\u{310}\u{310}"),
  ])
  func `characters that cannot be shown are replaced or left out`(text: String, result: String) {
    #expect(Array(shown(text).unicodeScalars) == Array(result.unicodeScalars))
  }

  @Test(arguments: [
    ("naïve Ætt — “ça” …", "naive AEtt - \"ca\" ..."), ("日本\u{1b}", "???"), ("a\u{200b}b", "ab"), ("straße", "strasse"),
  ])
  func `ASCII keeps the letters`(text: String, result: String) { #expect(shown(text, .ascii) == result) }

  @Test(arguments: [
    ("hello", 5, "hello", 5), ("hello!", 5, "hell…", 5), ("日本語", 6, "日本語", 6), ("日本語", 5, "日本…", 5),
    ("日本語", 4, "日…", 3), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…", 2), ("ab", 1, "…", 1), ("日", 1, "…", 1),
    ("ab", 0, "", 0), ("", 3, "", 0),
  ])
  func `text is cut between clusters`(text: String, columns: Int, result: String, width: Int) {
    let text = DisplayText(text, columns: columns, typography: .wide)
    #expect(text.string == result)
    #expect(text.width == width)
  }

  @Test(arguments: 0..<40) func `random bytes never become a command, nor too wide`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x10ffff, using: &random)) }
      for text in [String(decoding: bytes, as: UTF8.self), String(String.UnicodeScalarView(scalars))] {
        for typography in [Typography.wide, .ascii] {
          for columns in [1, 7, 200] { expectSafe(text, columns, typography) }
        }
      }
    }
  }

  private func expectSafe(_ text: String, _ columns: Int, _ typography: Typography) {
    let text = DisplayText(text, columns: columns, typography: typography)
    #expect(text.width <= columns)
    #expect(text.clusters.reduce(0) { $0 + $1.width } == text.width)
    for cluster in text.clusters {
      #expect(cluster.width > 0)
      #expect(cluster.character.unicodeScalars.reduce(0) { $0 + typography.scalarWidth($1) } == cluster.width)
      for scalar in cluster.character.unicodeScalars {
        #expect(![.control, .format, .lineSeparator, .surrogate].contains(scalar.properties.generalCategory))
        #expect(typography.isUnicode || scalar.isASCII)
      }
    }
  }

  @Test(arguments: [
    ("plain é 日本 한국 שלום สวัสดี 🎵 e\u{301} が か\u{3099}", []), ("नमस्ते", ["स्ते"]), ("தமிழ்", ["மி", "ழ்"]), ("বাংলা", ["বাং", "লা"]),
    ("a\u{3164}b", ["\u{3164}"]), ("ก\u{e33}", ["ก\u{e33}"]), ("\u{1fae9}\u{1faef}!", ["\u{1fae9}", "\u{1faef}"]),
  ])
  func `characters on whose width terminals disagree are known`(text: String, unsure: [String]) {
    // The tables of 2022, which have no emoji of later years.
    let old = Typography.unicode { 0x1fae9...0x1faff ~= $0.value ? -1 : Typography.wide.scalarWidth($0) }
    let clusters = DisplayText(text, columns: 80, typography: old).clusters
    #expect(clusters.filter(\.isUnsure).map { String($0.character) } == unsure)
  }

  @Test func `emoji that are newer than the C library have two columns`() {
    let old = Typography.unicode { 0x1f000...0x1faff ~= $0.value ? -1 : Typography.wide.scalarWidth($0) }
    // Of Unicode 15, 16 and 17, and one that is still to come.
    for emoji in ["\u{1fae8}", "\u{1fae9}", "\u{1faea}", "\u{1f6d8}", "\u{1faff}"] {
      let text = DisplayText("a\(emoji)b", columns: 80, typography: old)
      #expect(text.string == "a\(emoji)b" && text.width == 4)
    }
  }

  @Test func `the Linux console gets only signs that its fonts have`() {
    var console = Typography.wide
    console.hasEighths = false
    // Of code page 437 and of the Latin fonts of Debian, in which all lines but the light ones look the same.
    let known = Set("─│┬┴░█•→")
    var signs = [console.rule, console.verticalLine.top, console.verticalLine.middle, console.verticalLine.bottom]
    signs += [console.bar.played, console.bar.half, console.bar.rest, console.missing, console.love, console.peak]
    signs += [console.waveHead.left, console.waveHead.right, console.chapter.played, console.chapter.rest]
    signs += [console.thumb.held, console.thumb.ghost] + console.column + console.wave.played + console.wave.rest
    signs += console.marked + console.drop + console.sign.playable + console.sign.playlist + console.ellipsis
    for state in [PlaybackState.stopped, .playing, .waiting, .paused] { signs += console.sign(of: state) }
    #expect(signs.filter { !$0.isASCII && !known.contains($0) } == [])
    #expect(console.bar.played != console.bar.rest && console.thumb.held != console.thumb.ghost)
    #expect(shown("Reading …", console) == "Reading ...")
  }
}
