import SoundServerSupport
import Testing

@testable import RemoteProtocols

/// Requests for the stream and the page, and the titles in the stream.
struct WebRequestTests {
  private func answer(_ text: String, password: String = "", hasPage: Bool = false) -> WebRequest.Answer? {
    var request = WebRequest(
      for: .init(mediaType: "audio/ogg", password: password, hostName: "Den", bitRate: 128_000, hasPage: hasPage))
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let answer = request.take(Array(line.utf8)) { return answer }
    }
    return nil
  }

  /// The status of an answer that is no stream, and its fields.
  private func end(_ text: String, password: String = "", hasPage: Bool = false) -> String? {
    guard case .end(let bytes)? = answer(text, password: password, hasPage: hasPage) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `GET of any path is the stream`() throws {
    for target in ["/", "/a/b?c=%20", "/stream.ogg", "http://localhost:8000/"] {
      guard case .stream(let head, false)? = answer("GET \(target) HTTP/1.1\nHost: den\n\n") else {
        Issue.record("\(target)")
        continue
      }
      #expect(
        String(decoding: head, as: UTF8.self) == """
          HTTP/1.1 200 OK\r
          Content-Type: audio/ogg\r
          icy-name: segue\r
          icy-br: 128\r
          Server: segue\r
          Cache-Control: no-cache, no-store\r
          Connection: close\r
          \r

          """)
    }
  }

  @Test func `there are titles for those who ask`() throws {
    guard case .stream(let head, true)? = answer("GET / HTTP/1.0\nICY-MetaData:\t1\n\n") else {
      Issue.record("no titles")
      return
    }
    #expect(String(decoding: head, as: UTF8.self).contains("\r\nicy-metaint: 16000\r\n"))
    #expect(answer("GET / HTTP/1.0\nIcy-MetaData: 0\n\n") == answer("GET / HTTP/1.0\n\n"))
  }

  @Test func `HEAD has the same head and nothing more`() {
    guard case .stream(let head, _)? = answer("GET / HTTP/1.1\n\n") else {
      Issue.record("no stream")
      return
    }
    #expect(answer("HEAD / HTTP/1.1\n\n") == .end(head))
  }

  @Test(arguments: [
    ("POST / HTTP/1.1\n\n", "405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"), ("GET /favicon.ico HTTP/1.1\n\n", "404"),
    ("GET * HTTP/1.1\n\n", "400"), ("GET  / HTTP/1.1\n", "400"), ("GET / HTTP/2.0\n", "400"),
    ("get / HTTP/1.1\n", "400"),
    ("GET /\n", "400"), ("GET /\u{1} HTTP/1.1\n", "400"), ("GET /ä HTTP/1.1\n", "400"), ("{\"command\":1}\n", "400"),
    ("GET / HTTP/1.1\n" + String(repeating: "a: b\n", count: 100), "431"),
    ("GET / HTTP/1.1\na: " + String(repeating: "b", count: 17_000) + "\n", "431"),
  ])
  func `other requests are refused`(request: String, status: String) throws {
    let text = try #require(end(request))
    #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
    #expect(text.hasSuffix("\n") && text.contains("\r\nConnection: close\r\n\r\n"))
  }

  @Test func `the end of a head is waited for, and empty lines before it do not count`() {
    #expect(answer("GET / HTTP/1.1\nHost: a") == nil)
    #expect(answer("\n\n") == nil)
    #expect(answer("\n\nGET / HTTP/1.1\n\n") != nil)
  }

  @Test(arguments: [
    ("127.0.0.1:8000", true), ("192.168.1.2", true), ("[::1]:8000", true), ("localhost", true),
    ("LOCALHOST.:8000", true),
    ("den:8000", true), ("Den.local", true), ("page.example", false), ("127.0.0.1.page.example:8000", false),
    ("localhost.page.example", false), ("den.page.example", false), ("1.example:80", false),
  ])
  func `other computers are not called by a name of this one`(host: String, isAnswered: Bool) {
    // RFC 9110 7.4 and 15.5.20: a server need not answer for names that it does not have.
    for request in ["GET / HTTP/1.1\nhost: \(host)\n\n", "GET http://\(host)/x HTTP/1.1\nHost: den\n\n"] {
      let refusal = end(request)
      #expect(isAnswered ? refusal == nil : refusal?.hasPrefix("HTTP/1.1 421 ") == true, "\(request)")
    }
    guard case .stream? = answer("GET / HTTP/1.1\nHost: \(host)\nAuthorization: Basic YTpi\n\n", password: "b") else {
      Issue.record("a proxy may call it anything, with the password")
      return
    }
  }

  @Test func `a password is needed where there is one`() {
    // anyone:open sesame, anyone:open, :open sesame.
    let right = "GET / HTTP/1.1\nAuthorization: Basic YW55b25lOm9wZW4gc2VzYW1l\n\n"
    let others = [
      "", "Authorization: Basic YW55b25lOm9wZW4=\n", "Authorization: Bearer YW55b25lOm9wZW4gc2VzYW1l\n",
      "Authorization: Basic\n", "Authorization: Basic YW55b25l\n", "Authorization: Basic ????\n", "Authorization:\n",
    ]
    guard case .stream? = answer(right, password: "open sesame") else {
      Issue.record("refused")
      return
    }
    guard case .stream? = answer("GET / HTTP/1.1\nauthorization:basic OjphOmI=\n\n", password: ":a:b") else {
      Issue.record("colons")
      return
    }
    for fields in others {
      let text = end("GET / HTTP/1.1\n\(fields)\n", password: "open sesame") ?? ""
      #expect(text.hasPrefix("HTTP/1.1 401 ") && text.contains("WWW-Authenticate: Basic realm="), "\(fields)")
      #expect(!text.contains("sesame"))
    }
    #expect(end("HEAD / HTTP/1.1\n\n", password: "x")?.hasSuffix("\r\n\r\n") == true)
  }

  // MARK: The page

  @Test func `browsers get the page, players the stream of the same address`() throws {
    let fields = "Host: 127.0.0.1:8000\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\n\n"
    let page = try #require(end("GET / HTTP/1.1\n\(fields)", hasPage: true))
    #expect(
      page.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n") && page.hasSuffix("</html>\n"))
    let head = try #require(end("HEAD / HTTP/1.1\n\(fields)", hasPage: true))
    #expect(page.hasPrefix(head) && head.hasSuffix("\r\n\r\n"))
    for target in ["/ HTTP/1.1\nAccept: */*", "/ HTTP/1.1", "/stream?1 HTTP/1.1\nAccept: text/html"] {
      guard case .stream? = answer("GET \(target)\n\n", hasPage: true) else {
        Issue.record("\(target)")
        continue
      }
    }
    guard case .stream? = answer("GET / HTTP/1.1\n\(fields)") else {
      Issue.record("a page that is not wanted")
      return
    }
  }

  @Test func `the page is small, and browsers run only its own script`() throws {
    #expect(WebPage.bytes.count < 20_000)
    for text in [WebPage.script, WebPage.style] {
      let program =
        "import base64, hashlib, sys; print(base64.b64encode(hashlib.sha256(sys.argv[1].encode()).digest()).decode())"
      let hash = try ChildProcess.output(of: ["python3", "-c", program, text]).dropLast()
      #expect(WebPage.policy.contains("'sha256-\(hash)'"), "\(hash)")
    }
    // What others have written is never read as HTML.
    for name in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "unsafe-"] {
      #expect(!(WebPage.script + WebPage.policy).contains(name))
    }
  }

  @Test(
    arguments: [
      ("GET /events", .events), ("GET /cover?17", .cover), ("GET /search?caf%C3%A9%20x", .search("café x")),
      ("GET http://den:8000/search?a", .search("a")), ("POST /command", .command(byteCount: 5)),
      ("POST /found", .found(byteCount: 5)),
    ] as [(String, WebRequest.Question)])
  func `the page asks`(request: String, question: WebRequest.Question) {
    let fields = "HTTP/1.1\nHost: den:8000\nContent-Length: 5\n"
    #expect(answer("\(request) \(fields)\n", hasPage: true) == .ask(question))
    #expect(answer("\(request) \(fields)Origin: http://DEN:8000\n\n", hasPage: true) == .ask(question))
    #expect(answer("\(request) \(fields)Sec-Fetch-Site: same-origin\n\n", hasPage: true) == .ask(question))
    for field in [
      "Origin: http://page.example", "Origin: null", "Origin: http://den", "Origin: http://den:8001",
      "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
    ] {
      #expect(end("\(request) \(fields)\(field)\n\n", hasPage: true)?.hasPrefix("HTTP/1.1 403 ") == true, "\(field)")
    }
    #expect(end("\(request) \(fields)\n", password: "x", hasPage: true)?.hasPrefix("HTTP/1.1 401 ") == true)
    // The host of a target counts more.
    if !request.contains("://") {
      #expect(end("\(request) HTTP/1.1\nHost: a.example\n\n", hasPage: true)?.hasPrefix("HTTP/1.1 421 ") == true)
    }
    if case .ask? = answer("\(request) \(fields)\n") { Issue.record("there is no page") }
  }

  @Test(arguments: [
    ("GET /command HTTP/1.1\n\n", "405 Method Not Allowed\r\nAllow: POST\r\n"), ("POST /events HTTP/1.1\n\n", "405"),
    ("HEAD /events HTTP/1.1\n\n", "405"), ("POST /command HTTP/1.1\n\n", "411"),
    ("POST /command HTTP/1.1\nContent-Length: 0\n\n", "411"), ("POST /command HTTP/1.1\nContent-Length: -1\n\n", "411"),
    ("POST /command HTTP/1.1\nContent-Length: 99999999999999999999\n\n", "411"),
    ("POST /command HTTP/1.1\nContent-Length: 2049\n\n", "413"),
  ])
  func `other requests of the page are refused`(request: String, status: String) {
    #expect(end(request, hasPage: true)?.hasPrefix("HTTP/1.1 \(status)") == true)
  }

  @Test func `random bytes get an answer or wait, and never a stream without a request`() {
    var generator = SystemRandomNumberGenerator()
    let words = [
      "GET", "HEAD", " ", "/", " HTTP/1.1", "\n", "\n", "Authorization:", "Basic ", "=", "Icy-MetaData: 1", "\0", "é",
      ":",
      "\u{7f}", "AAAA", "http://",
    ]
    for _ in 0..<20_000 {
      var request = WebRequest(for: .init(mediaType: "audio/ogg", password: "secret", hostName: "", bitRate: nil))
      let text = (0..<Int.random(in: 1...30, using: &generator)).map { _ in words.randomElement(using: &generator) ?? ""
      }
      var bytes = Array(text.joined().utf8)
      if Bool.random(using: &generator), let place = bytes.indices.randomElement(using: &generator) {
        bytes[place] = UInt8.random(in: 0...255, using: &generator)
      }
      for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
        guard let answer = request.take(Array(line)) else { continue }
        guard case .end(let end) = answer, end.starts(with: "HTTP/1.1 4".utf8) else {
          Issue.record("\(bytes)")
          break
        }
        break
      }
    }
  }

  // MARK: Titles

  /// Audio and titles, as clients separate them.
  private func split(_ bytes: [UInt8]) -> (audio: [UInt8], titles: [String]) {
    var (audio, titles, rest): ([UInt8], [String], ArraySlice<UInt8>) = ([], [], bytes[...])
    while rest.count > StreamTitles.interval {
      audio += rest.prefix(StreamTitles.interval)
      rest = rest.dropFirst(StreamTitles.interval)
      let count = rest.popFirst().map { Int($0) * 16 } ?? 0
      titles.append(String(decoding: rest.prefix(count).prefix { $0 != 0 }, as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return (audio + rest, titles)
  }

  @Test(arguments: [1, 7, 4000, 15_999, 16_000, 16_001, 50_000])
  func `titles stand at their places however the stream is cut`(size: Int) {
    let audio = (0..<80_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    var titles = StreamTitles()
    var sent: [UInt8] = []
    for start in stride(from: 0, to: audio.count, by: size) {
      let title = start < 40_000 ? "A - B" : "it's';here"
      sent += titles.insert(title, into: Array(audio[start..<min(audio.count, start + size)]))
    }
    let (found, texts) = split(sent + [0])
    let isSame = found.starts(with: audio)
    #expect(isSame)
    #expect(texts.first == "StreamTitle='A - B';" && texts[1].isEmpty)
    #expect(texts.contains("StreamTitle='it's’;here';"))
  }

  @Test func `a long title is cut between characters`() {
    var titles = StreamTitles()
    let bytes = titles.insert("a" + String(repeating: "ä", count: 5000), into: [UInt8](repeating: 1, count: 16_000))
    let text = split(bytes + [0]).titles.first ?? ""
    #expect(
      text.hasSuffix("ä';") && !text.contains("\u{fffd}") && text.utf8.count <= 255 * 16 && text.utf8.count > 3900)
  }
}
