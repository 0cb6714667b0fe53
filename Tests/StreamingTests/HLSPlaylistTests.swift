import ByteIO
import Testing

@testable import Streaming

/// RFC 8216, as far as audio goes.
struct HLSPlaylistTests {
  private let base = WebAddress("https://a/b/list.m3u8")

  private func address(_ name: String) -> WebAddress { WebAddress("https://a/b/" + name) }

  @Test func `a live playlist`() throws {
    let text = """
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:8
      #EXT-X-MEDIA-SEQUENCE:2680
      #EXTINF:7.975,
      seg 1.aac
      #EXTINF:7.941,A, title
      https://c/2.aac
      #EXT-X-DISCONTINUITY
      #EXTINF:7
      /3.aac
      """
    let list = try #require(try HLSPlaylist(text, at: base))
    #expect(list.targetSeconds == 8 && !list.hasEnd && list.variants.isEmpty)
    #expect(
      list.segments == [
        HLSPlaylist.Segment(address: address("seg%201.aac"), seconds: 7.975, number: 2680),
        HLSPlaylist.Segment(address: WebAddress("https://c/2.aac"), seconds: 7.941, number: 2681, title: "A, title"),
        HLSPlaylist.Segment(address: WebAddress("https://a/3.aac"), seconds: 7, number: 2682, isDiscontinuous: true),
      ])
  }

  @Test func `segments of one file, with a header, some encrypted, and an end`() throws {
    let text = """
      #EXTM3U\r
      #EXT-X-TARGETDURATION:4\r
      #EXT-X-MAP:URI="a.mp4",BYTERANGE="720@0"\r
      #EXTINF:4,\r
      #EXT-X-BYTERANGE:1000@720\r
      a.mp4\r
      #EXTINF:4,\r
      #EXT-X-BYTERANGE:500\r
      a.mp4\r
      #EXT-X-KEY:METHOD=AES-128,URI="key,1"\r
      #EXTINF:4,\r
      b.mp4\r
      #EXT-X-ENDLIST\r
      """
    let list = try #require(try HLSPlaylist(text, at: base))
    #expect(list.hasEnd && list.segments.map(\.bytes) == [720..<1720, 1720..<2220, nil])
    #expect(list.segments.map(\.key) == [nil, nil, .aes128(address("key,1"), vector: nil)])
    #expect(list.segments[0].header == HLSPlaylist.Header(address: address("a.mp4"), bytes: 0..<720))
  }

  @Test func `keys, gaps and the start offset`() throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-START:TIME-OFFSET=-9.5
      #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x0a0B
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
      #EXTINF:2,
      0.aac
      #EXT-X-KEY:METHOD=AES-128,URI="k",KEYFORMAT="other"
      #EXT-X-GAP
      #EXTINF:2,
      1.aac
      #EXT-X-KEY:METHOD=AES-128,URI="data:text/plain,0123456789abcdef"
      #EXTINF:2,
      2.aac
      #EXT-X-KEY:METHOD=NONE
      #EXTINF:2,
      3.aac
      #EXTINF:2,
      4.aac
      #EXTINF:2,
      5.aac
      """
    let list = try #require(try HLSPlaylist(text, at: base))
    let vector = [UInt8](repeating: 0, count: 14) + [0x0a, 0x0b]
    #expect(
      list.segments.map(\.key) == [
        .aes128(address("k"), vector: vector), .other("AES-128, other"), .other("AES-128"), nil, nil, nil,
      ])
    #expect(list.segments.map(\.isGap) == [false, true, false, false, false, false])
    #expect(list.startOffset == -9.5 && list.firstNumber == 1)
    #expect(HLSPlaylist.begins(Array(text.utf8)) && !HLSPlaylist.begins(Array("#EXTM3U\n#EXTINF:1,a\na.mp3".utf8)))
  }

  @Test func `a master playlist`() throws {
    let text = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English, or so",DEFAULT=YES,URI="en.m3u8"
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",URI="s.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="mp4a.40.2, avc1.4d",AUDIO="aac"
      low.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=99999999999999999999
      high.m3u8
      """
    let list = try #require(try HLSPlaylist(text, at: base))
    #expect(
      list.variants == [
        HLSPlaylist.Variant(
          address: address("low.m3u8"), bandwidth: 128_000, codecs: ["mp4a.40.2", "avc1.4d"], audioGroup: "aac"),
        HLSPlaylist.Variant(address: address("high.m3u8"), bandwidth: 0, codecs: []),
      ])
    #expect(list.renditions == [HLSPlaylist.Rendition(group: "aac", address: address("en.m3u8"), isDefault: true)])
  }

  @Test func `variables stand in addresses, attributes and other variables`() throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:4
      #EXT-X-DEFINE:NAME="host",VALUE="https://c"
      #EXT-X-DEFINE:NAME="all-of_1",VALUE="{$host}/x"
      #EXT-X-DEFINE:NAME="nothing",VALUE=""
      #EXT-X-DEFINE:QUERYPARAM="token"
      #EXT-X-MAP:URI="{$all-of_1}/a.mp4"
      #EXTINF:4,{$title}
      {$all-of_1}/{$token}{$nothing}.mp4?{$host&{$}
      """
    let list = try #require(try HLSPlaylist(text, at: WebAddress("https://a/b/l?x=1&token=T%20%C3%A9&y")))
    #expect(list.segments.first?.address == WebAddress("https://c/x/T é.mp4?{$host&{$}"))
    #expect(list.segments.first?.header?.address == WebAddress("https://c/x/a.mp4"))
    #expect(list.segments.first?.title == "{$title}")
    let next = try #require(
      try HLSPlaylist(
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-DEFINE:IMPORT=\"host\"\n#EXTINF:4,\n{$host}/1", at: base,
        imported: list.variables))
    #expect(next.segments.first?.address == WebAddress("https://c/1"))
  }

  @Test(arguments: [
    ("#EXTINF:4,\n{$a}.aac", "does not define the variable \"a\""),
    ("#EXTINF:4,\n{$a}.aac\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"", "does not define the variable \"a\""),
    ("#EXT-X-KEY:METHOD=AES-128,URI=\"{$a}\"", "does not define the variable \"a\""),
    ("#EXT-X-DEFINE:IMPORT=\"a\"", "does not get the variable \"a\""),
    ("#EXT-X-DEFINE:QUERYPARAM=\"a\"", "does not get the variable \"a\""),
    ("#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"", "defines twice the variable \"a\""),
    (
      (0..<60).map { "#EXT-X-DEFINE:NAME=\"v\($0 + 1)\",VALUE=\"{$v\($0)}{$v\($0)}\"\n" }.reduce(
        "#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"0123456789\"\n", +), "is too long"
    ),
    (
      "#EXTINF:4,\n{$" + String(repeating: "a", count: 100_000) + "}",
      "variable \"" + String(repeating: "a", count: 40) + "\""
    ),
  ])
  func `a variable that cannot be replaced is an error`(lines: String, words: String) {
    #expect { try HLSPlaylist("#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + lines, at: base) } throws: {
      ($0 as? NetworkError)?.message.hasSuffix(words) == true
    }
  }

  @Test(arguments: ["", "NAME", "NAME=", "VALUE=\"1\"", "NAME=\"\"", "{$", "IMPORT", "QUERYPARAM", "=,=\"{$\"{$}"])
  func `a definition without a name is ignored`(attributes: String) throws {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DEFINE:\(attributes)\n#EXTINF:4,\na.aac"
    #expect(try HLSPlaylist(text, at: base)?.segments.count == 1)
  }

  @Test func `spaces around lines and values are ignored`() throws {
    let text = "#EXTM3U \r\n#EXT-X-TARGETDURATION: 8 \r\n#EXT-X-MEDIA-SEQUENCE:\t7\r\n#EXTINF: 7.5 , A \r\n  a.aac \r\n"
    let list = try #require(try HLSPlaylist(text, at: base))
    #expect(list.targetSeconds == 8)
    #expect(list.segments == [HLSPlaylist.Segment(address: address("a.aac"), seconds: 7.5, number: 7, title: " A")])
  }

  @Test(
    arguments: ["", "#EXTM3U", "#EXTM3U\na.mp3", "#EXTINF:1,\na.ts", "#EXTM3U\n#EXTINF:-1,Radio\nhttp://a/"])
  func `other texts are rejected`(text: String) throws { #expect(try HLSPlaylist(text, at: base) == nil) }

  @Test(
    arguments: [
      "#EXTINF:nan,\nx", "#EXTINF:1e9,\nx", "#EXTINF:,\nx", "#EXTINF:1,\nfile:///etc/passwd", "x", "#EXTINF:1,",
    ])
  func `malformed segments are left out`(lines: String) throws {
    #expect(try HLSPlaylist("#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + lines, at: base)?.segments == [])
  }

  @Test(arguments: ["9223372036854775807@1", "0@0", "-5@0", "5@-1", "a", "1@2@3", ""])
  func `malformed ranges are ignored`(range: String) throws {
    let text = "#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:\(range)\na"
    #expect(try HLSPlaylist(text, at: base)?.segments.first?.bytes == nil)
  }
}
