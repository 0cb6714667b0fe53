import AudioModel
import ByteIO
import Streaming
import Testing

@testable import Desk

@Suite struct `The answer of a program about an address` {
  private func answer(_ text: String) throws(NetworkError) -> Resolution { try Resolution(answer: Array(text.utf8)) }

  @Test func `describes sound in the form of yt-dlp`() throws {
    let found = try answer(
      """
      {"url": "https://cdn.example/a.webm?e=1|2", "title": "Talk", "uploader": "Someone", "duration": 61.5,
       "upload_date": "20260314", "http_headers": {"User-Agent": "M/5.0\\r\\nX: y", "Accept": "*/*", "Referer": "https://r/"},
       "chapters": [{"start_time": 0, "title": "One"}, {"start_time": -1}, {"start_time": 30.5, "end_time": 61.5}]}
      """)
    #expect(found.addresses.map(\.description) == ["https://cdn.example/a.webm?e=1%7C2"])
    #expect(found.addresses[0].fields == [.userAgent: "M/5.0X: y", .referrer: "https://r/"])
    #expect((found.tags.title, found.tags.artist, found.tags.date) == ("Talk", "Someone", "2026-03-14"))
    #expect(found.duration == 61.5)
    #expect(found.tags.chapters == [.init(start: 0, title: "One"), .init(start: 30.5, title: "")])
  }

  @Test func `may have picture and sound apart`() throws {
    let found = try answer(
      """
      {"title": "x", "duration": null, "requested_formats": [
        {"url": "https://cdn/v", "acodec": "none"}, {"url": "https://cdn/a", "acodec": "opus"}]}
      """)
    #expect(found.addresses.map(\.text) == ["https://cdn/a"] && found.duration == nil)
  }

  @Test func `may be lines`() throws {
    #expect(
      try answer("WARNING: old\nhttps://cdn/a\r\nhttp://cdn/b\n").addresses.map(\.text) == [
        "https://cdn/a", "http://cdn/b",
      ])
  }

  @Test func `may be a list of pages`() {
    let list =
      #"{"_type": "playlist", "entries": [{"url": "abc", "webpage_url": "https://v/1"}, null, {"url": "https://v/2"}]}"#
    #expect(throws: NetworkError(.playlist([WebAddress("https://v/1"), WebAddress("https://v/2")]), "a playlist of 2"))
    {
      try answer(list)
    }
    #expect(throws: NetworkError(.unusable, "its list is empty")) { try answer(#"{"entries": []}"#) }
  }

  @Test(arguments: [
    "", "{}", #"{"url": "file:///etc/passwd"}"#, "/etc/passwd\n", #"{"url": "http:"}"#, "{", "[1]", "\u{0}",
  ])
  func `names the network, or is refused`(text: String) {
    #expect(throws: NetworkError(.unusable, "its answer has no address on the network")) { try answer(text) }
  }
}
