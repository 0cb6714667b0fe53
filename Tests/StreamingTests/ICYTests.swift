import ByteIO
import Testing

@testable import Streaming

/// Live radio: metadata between the audio.
struct ICYTests {
  /// A stream of `audio` with a block after each `interval` bytes.
  private func stream(_ audio: [UInt8], interval: Int, blocks: [String]) -> [UInt8] {
    var (stream, blocks) = ([UInt8](), blocks[...])
    for start in Swift.stride(from: 0, to: audio.count, by: interval) {
      let part = audio[start..<min(audio.count, start + interval)]
      stream += part
      guard part.count == interval else { break }
      let text = Array((blocks.popFirst() ?? "").utf8)
      stream.append(UInt8((text.count + 15) / 16))
      stream += text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
    }
    return stream
  }

  private func split(_ stream: [UInt8], interval: Int?, chunk: Int) -> (audio: [UInt8], titles: [String]) {
    var splitter = ICYSplitter(interval: interval)
    var (audio, titles) = ([UInt8](), [String]())
    for start in Swift.stride(from: 0, to: stream.count, by: chunk) {
      let bytes = Array(stream[start..<min(stream.count, start + chunk)])
      let pieces = bytes.withUnsafeBytes { splitter.split($0) }
      for piece in pieces {
        switch piece {
        case .audio(let range): audio += bytes[range]
        case .metadata(let block): if let title = ICYMetadata(block).title { titles.append(title) }
        }
      }
    }
    return (audio, titles)
  }

  @Test(arguments: [1, 2, 7, 16, 100, 999, 1000, 5000])
  func `audio and titles are separated wherever the stream is cut`(interval: Int) {
    let audio = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let blocks = ["StreamTitle='One';", "", "", "StreamTitle='It's two';StreamUrl='';", "StreamTitle='';"]
    let stream = stream(audio, interval: interval, blocks: blocks)
    let titles = Array(["One", "It's two", ""].prefix(interval < 200 ? 3 : interval <= 1000 ? 1 : 0))
    for chunk in [1, 2, 3, 15, 16, 17, 64, 4096] {
      let found = split(stream, interval: interval, chunk: chunk)
      #expect(found.audio == audio, "in pieces of \(chunk)")
      #expect(found.titles == titles, "in pieces of \(chunk)")
    }
  }

  @Test(arguments: [nil, 0, -5]) func `without an interval all bytes are audio`(interval: Int?) {
    let bytes = Array("no StreamTitle='metadata'; here".utf8)
    #expect(split(bytes, interval: interval, chunk: 3).audio == bytes)
  }

  @Test(
    arguments: [
      ("StreamTitle='Artist - Title';", "Artist - Title"), ("StreamTitle='Don't Stop';StreamUrl='';", "Don't Stop"),
      ("StreamTitle='Rockin'';StreamUrl='http://a/';", "Rockin'"), ("StreamTitle='Rockin'';", "Rockin'"),
      ("StreamTitle='a;b';", "a;b"), ("StreamTitle='a';b';", "a';b"), ("StreamTitle='';", ""),
      ("StreamTitle=' - ';", ""),
      ("StreamUrl='x';StreamTitle='T';", "T"), ("streamtitle='T';", "T"), ("StreamTitle='cut off", "cut off"),
      ("StreamTitle=' padded ';", "padded"), ("StreamTitle='T'", "T"), ("StreamTitle='日本';", "日本"),
      ("StreamTitle='", ""), ("StreamUrl='only';", nil), ("", nil), ("StreamTitle", nil),
    ] as [(String, String?)])
  func `the title of a block`(block: String, title: String?) {
    #expect(ICYMetadata(Array(block.utf8)).title == title)
    #expect(ICYMetadata(Array(block.utf8) + [0, 0, 0]).title == title, "padded")
  }

  /// The title of one block, as the listener sees it.
  private func shown(_ block: [UInt8]) -> String? {
    var log = TitleLog()
    if let title = ICYMetadata(block).title { _ = log.append(title, at: 0, oldestByte: 0) }
    return log.title(at: 0)
  }

  private func block(_ title: [UInt8]) -> [UInt8] { Array("StreamTitle='".utf8) + title + Array("';".utf8) }

  @Test func `titles that are not UTF-8 are in the character set of all titles so far`() {
    let short: [UInt8] = [0xea, 0xee, 0xed, 0xf4]
    let long: [UInt8] = [0xca, 0xe8, 0xed, 0xee, 0x20, 0x2d, 0x20, 0xc3, 0xf0, 0xf3, 0xef, 0xef, 0xe0]
    for charset in [nil, Charset("cp1251"), Charset("koi8-r")] {
      var log = TitleLog(charset: charset)
      for (place, title) in [short, long].enumerated() {
        _ = log.append(ICYMetadata(block(title)).title ?? "", at: Int64(place), oldestByte: 0)
      }
      let isGuessed = charset == nil
      #expect(log.title(at: 0) == (charset?.name == "koi8-r" ? "ЙНМТ" : "конф"))
      #expect(log.title(at: 1) == (charset?.name == "koi8-r" ? "йХМН - цПСООЮ" : "Кино - Группа"))
      #expect(log.reading?.description == "\(charset?.name ?? "windows-1251") (\(isGuessed ? "guessed" : "set"))")
    }
  }

  @Test func `a title that is not UTF-8 is Latin-1`() {
    let block = Array("StreamTitle='F".utf8) + [0xfc] + Array("r Elise';".utf8)
    #expect(shown(block) == "Für Elise")
    // Quotes and dashes are from Windows-1252.
    let quotes = Array("StreamTitle='Don".utf8) + [0x92] + Array("t ".utf8) + [0x96] + Array(" 5 ".utf8) + [0x80]
    #expect(shown(quotes + Array("';".utf8)) == "Don’t – 5 €")
  }

  @Test func `an incomplete last character is dropped, and the rest is kept`() {
    for count in 7..<9 {
      #expect(ICYMetadata(Array("StreamTitle='".utf8) + Array("日本語".utf8.prefix(count))).title == "日本")
    }
    // Latin-1 with the same ending.
    #expect(shown(Array("StreamTitle='Caf".utf8) + [0xe9]) == "Café")
    #expect(shown(Array("StreamTitle='".utf8) + [0xc4, 0xe9]) == "Äé")
  }
}
