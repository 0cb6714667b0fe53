import Testing

@testable import Streaming

/// Heads by RFC 9110, and those of real servers.
struct ResponseHeadTests {
  private func head(_ status: String = "HTTP/1.1 200 OK", _ lines: String...) -> HTTPResponseHead? {
    var head = HTTPResponseHead(statusLine: status)
    for line in lines { head?.add(line) }
    return head
  }

  @Test(
    arguments: [
      ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.0 404 Not Found", 404, "Not Found"), ("HTTP/2 206", 206, ""),
      ("ICY 200 OK", 200, "OK"), ("HTTP/1.1 99 x", nil, nil), ("HTTP/1.1", nil, nil), ("HTTP/1.1 abc", nil, nil),
      ("FTP/1.1 200 OK", nil, nil), ("", nil, nil), ("HTTP/1.1 99999999999999999999 x", nil, nil),
    ] as [(String, Int?, String?)])
  func `a status line`(line: String, status: Int?, reason: String?) {
    #expect(head(line)?.status == status)
    #expect(head(line)?.reason == reason)
  }

  @Test(
    arguments: [
      ("Content-Length: 12", 12), ("content-length:12", 12), ("Content-Length: -1", nil), ("Content-Length: 1e3", nil),
      ("Content-Length: 99999999999999999999", nil), ("Content-Length:", nil), ("Content-Length 12", nil),
      ("CONTENT-LENGTH: \t 0 ", 0),
    ] as [(String, Int64?)])
  func `a length is digits only`(line: String, length: Int64?) {
    #expect(head("HTTP/1.1 200 OK", line)?.contentLength == length)
  }

  @Test(
    arguments: [
      ("bytes 0-9/10", 0..<10, 10), ("bytes 5-9/*", 5..<10, nil), ("bytes */10", nil, 10),
      ("bytes=5-9/10", 5..<10, 10), ("Bytes 0-0/1", 0..<1, 1),
    ] as [(String, Range<Int64>?, Int64?)])
  func `a valid range`(value: String, bytes: Range<Int64>?, total: Int64?) {
    let range = head("HTTP/1.1 206 P", "Content-Range: \(value)")?.contentRange
    #expect(range == HTTPResponseHead.ContentRange(bytes: bytes, total: total))
  }

  @Test(
    arguments: [
      "", "bytes", "bytes 9-5/10", "bytes 0-10/10", "bytes 0-9", "bytes a-9/10", "bytes 0-9/x", "items 0-9/10",
      "bytes -9/10", "bytes 0-9223372036854775807/*", "bytes 0-9/10/11", "bytes 0-99999999999999999999/*",
    ])
  func `an invalid range`(value: String) {
    #expect(head("HTTP/1.1 206 P", "Content-Range: \(value)")?.contentRange == nil)
  }

  @Test func `compressed bodies are recognized`() {
    #expect(head("HTTP/1.1 200 OK", "Content-Encoding: gzip")?.isEncoded == true)
    #expect(head("HTTP/1.1 200 OK", "Content-Encoding: Identity")?.isEncoded == false)
    #expect(head()?.isEncoded == false)
  }

  @Test func `stations and files are distinguished`() {
    #expect(head("ICY 200 OK")?.isLive == true)
    #expect(head("HTTP/1.0 200 OK", "icy-name: Radio")?.isLive == true)
    #expect(head("HTTP/1.0 200 OK", "Server: Icecast 2.4.4")?.isLive == true)
    #expect(head("HTTP/1.0 200 OK", "Server: Icecast 2.4.4", "Content-Length: 5")?.isLive == false)
    #expect(head("HTTP/1.0 200 OK", "Server: nginx")?.isLive == false)
    for type in ["audio/x-mpegurl", "Audio/X-ScPls ; charset=utf-8", "text/html", "application/vnd.apple.mpegurl"] {
      #expect(head("HTTP/1.0 200 OK", "Server: Icecast 2.4.4", "Content-Type: \(type)")?.isLive == false, "\(type)")
    }
    #expect(
      head("HTTP/1.0 200 OK", "icy-metaint: 8192", "Content-Length: 5")?.isLive == true, "the length is meaningless")
    #expect(head("HTTP/1.0 200 OK", "icy-metaint: 16000")?.metadataInterval == 16000)
    #expect(head("HTTP/1.0 200 OK", "icy-metaint: 99999999999")?.metadataInterval == nil)
  }

  @Test func `validators on both sides distinguish versions`() {
    let (one, two) = (Validator(entityTag: "\"1\""), Validator(entityTag: "\"2\""))
    #expect(one.allows(one) && !one.allows(two))
    #expect(one.allows(Validator()) && Validator().allows(one))
    #expect(!Validator(lastModified: "a").allows(Validator(lastModified: "b")))
    #expect(Validator(entityTag: "W/\"1\"", lastModified: "a").forRange == "a", "weak tags promise no equal bytes")
    #expect(Validator(entityTag: "W/\"1\"").forRange == nil)
    #expect(one.forRange == "\"1\"")
  }
}
