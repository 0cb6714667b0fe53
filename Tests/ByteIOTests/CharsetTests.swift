import Glibc
import Testing

@testable import ByteIO

/// Text whose encoding is not known: marks, character sets by name, and the guess.
struct CharsetTests {
  /// Text in the bytes of a character set; `nil` if it has not all characters.
  static func encoded(_ text: String, _ charset: String) -> [UInt8]? {
    guard let converter = iconv_open(charset, "UTF-8"), converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var input = text.utf8.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: input.count * 4 + 16)
    var count = 0
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var (from, fromCount, to, toCount) = (input.baseAddress, input.count, output.baseAddress, output.count)
        let status = iconv(converter, &from, &fromCount, &to, &toCount)
        count = output.count - toCount
        return status
      }
    }
    return status == 0 ? output[..<count].map { UInt8(bitPattern: $0) } : nil
  }

  /// Artists and titles of a file beside this one.
  private static func texts(_ name: String) throws -> [[String]] {
    let folder = #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    let bytes = try wholeFile(BytePath("\(folder)/CharsetTexts/\(name).txt"), byteLimit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: "|").map(String.init)
    }
  }

  struct Script: Sendable, CustomTestStringConvertible {
    var name: String
    var charset: String
    /// Of so many pairs of artist and title, so many are read right.
    var count: Int
    var rightCount: Int
    var testDescription: String { "\(name) in \(charset)" }
  }

  // The table of decision 45.
  @Test(arguments: [
    Script(name: "western", charset: "CP1252", count: 148, rightCount: 148),
    Script(name: "central-european", charset: "CP1250", count: 66, rightCount: 58),
    Script(name: "cyrillic", charset: "CP1251", count: 70, rightCount: 69),
    Script(name: "cyrillic", charset: "KOI8-R", count: 66, rightCount: 66),
    Script(name: "greek", charset: "CP1253", count: 62, rightCount: 62),
    Script(name: "hebrew", charset: "CP1255", count: 64, rightCount: 64),
    Script(name: "japanese", charset: "CP932", count: 69, rightCount: 66),
    Script(name: "chinese", charset: "GBK", count: 66, rightCount: 63),
    Script(name: "traditional-chinese", charset: "CP950", count: 64, rightCount: 64),
    Script(name: "korean", charset: "CP949", count: 65, rightCount: 60),
  ])
  func `the guess by artist and title only`(script: Script) throws {
    var (count, wrong) = (0, [String]())
    for texts in try Self.texts(script.name) {
      let bytes = texts.compactMap { Self.encoded($0, script.charset) }
      guard bytes.count == texts.count, bytes.contains(where: { !isUTF8($0) }) else { continue }
      count += 1
      let reading = TextReading(of: bytes.filter { !isUTF8($0) }, chosen: nil)
      if bytes.map({ reading.text($0) }) != texts { wrong.append("\(texts): \(reading)") }
    }
    #expect(count == script.count)
    #expect(count - wrong.count >= script.rightCount, "\(wrong)")
  }

  @Test(arguments: [
    "Björk", "Sigur Rós", "Motörhead", "Café del Mar", "Ænima", "Øya", "Mø", "Ö", "Été", "È", "El Niño", "São Paulo",
    "Don’t Stop – live", "Þú", "ÄÖÜ", "Å", "Où", "Ça", "naïve", "Œuvre", "Ýmir", "façade", "Größe", "¿Qué?",
  ])
  func `a short name in Latin-1 stays`(name: String) throws {
    let bytes = try #require(Self.encoded(name, "CP1252"))
    #expect(String(guessing: bytes) == name)
    #expect(TextReading(of: [bytes], chosen: nil) == TextReading(.windows1252, isGuessed: true))
  }

  @Test func `more texts make a better guess`() throws {
    let (short, long) = ("Kocham cię", "Długość dźwięku samotności")
    let bytes = try [short, long].map { try #require(Self.encoded($0, "CP1250")) }
    #expect(TextReading(of: [bytes[0]], chosen: nil).charset == .windows1252)
    #expect(TextReading(of: bytes, chosen: nil).text(bytes[0]) == short)
  }

  @Test(
    arguments: [
      ("cp1251", "windows-1251"), ("Windows-1251", "windows-1251"), ("1250", "windows-1250"),
      ("latin1", "windows-1252"),
      ("SJIS", "shift_jis"), ("gb2312", "gbk"), ("uhc", "euc-kr"), ("KOI8-R", "koi8-r"), ("ISO-8859-2", "iso-8859-2"),
      ("cp866", "cp866"), ("UTF-16", nil), ("ebcdic-us", nil), ("", nil), ("auto", nil), ("utf-8//IGNORE", nil),
      ("no such", nil),
    ] as [(String, String?)])
  func `a name that the listener writes`(name: String, charset: String?) { #expect(Charset(name)?.name == charset) }

  @Test(
    arguments: [
      ("windows-1251", [0xcf, 0xf0, 0xe8], "При"), ("windows-1255", [0xe0, 0xe1], "אב"),
      ("gbk", [0xb0, 0xa1, 0xb0], "啊"),
      ("shift_jis", [0x82, 0xa0, 0xff, 0x61], "あ\u{fffd}a"), ("windows-1252", [0x80, 0x81, 0xe9], "€\u{81}é"),
      ("euc-kr", [0xc7, 0xd1, 0x62], "한b"), ("windows-1253", [], ""),
    ] as [(String, [UInt8], String)])
  func `bytes in a set`(charset: String, bytes: [UInt8], text: String) throws {
    #expect(try #require(Charset(charset)).text(bytes) == text)
  }

  @Test func `long text is decoded whole`() throws {
    let text = String(repeating: "Группа крови ", count: 1000)
    let bytes = try #require(Self.encoded(text, "CP1251"))
    #expect(Charset.windows1251.text(bytes) == text && Charset.windows1251.exactText(bytes) == text)
  }

  @Test func `marks keep the bytes, beside text that is known`() {
    let marked = String(marking: [0x61, 0xcf, 0xf0, 0xe8])
    #expect(marked.hasMarks && marked.markedBytes == [0x61, 0xcf, 0xf0, 0xe8])
    #expect((marked + "; 夜").decoded(as: .windows1251) == "aПри; 夜")
    #expect(String(marking: "夜".utf8) == "夜" && !"夜\u{10ffff}".hasMarks && "夜".markedBytes == nil)
    #expect(String(marking: 0x80...0xff as ClosedRange<UInt8>).markedBytes == Array(0x80...0xff))
  }

  @Test(arguments: [(28, "夜夜夜夜夜夜夜夜夜"), (29, "夜夜夜夜夜夜夜夜夜"), (30, "夜夜夜夜夜夜夜夜夜夜")])
  func `text in UTF-8 may be cut`(count: Int, text: String) {
    #expect(String(markingCut: Array(String(repeating: "夜", count: 12).utf8)[..<count]) == text)
  }
}
