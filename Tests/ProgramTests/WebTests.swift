import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The page for browsers, as curl asks for it. The player is in its sandbox.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn)
struct `The page for browsers` {
  private let folder: TemporaryFolder
  private let port = KeptPort()
  private var address: String { "http://127.0.0.1:\(port.number)/" }
  private var environment: [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "LC_ALL": "C.UTF-8", "http_proxy": nil,
    ]
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "home", "music"] { mkdir(folder(name), 0o700) }
  }

  private func play(_ settings: String) throws -> ChildProcess {
    unlink(folder("output"))
    try write(Array(settings.utf8), to: folder("home/config"))
    let player = try ChildProcess(
      [
        "sh", "-c", "exec \"$@\" > \"$0\"", folder("output"), Program.path, "--no-ui", "--output", "null", "--repeat",
        "one", fixture("opus-tagged.opus"),
      ], environment: environment, errors: folder("errors"))
    try #require(eventually { output.contains("and a page for browsers") }, "\(output)")
    return player
  }

  private var output: String { String(decoding: contents(of: folder("output")), as: UTF8.self) }

  private func curl(_ path: String, _ options: String...) throws -> String {
    try ChildProcess.output(
      of: ["sh", "-c", "exec curl -s -m 60 \"$@\" 2>&1", "curl"] + options + [address + path], environment: environment)
  }

  /// Sends a line as the page does.
  private func send(_ line: String, to path: String = "command") throws -> String {
    try curl(path, "-d", line)
  }

  @Test func `a browser sees what plays, and controls it`() throws {
    let player = try play("set stream=\(port.number)\nset web=on\n")
    let page = try curl("", "-i", "-H", "Accept: text/html")
    #expect(page.contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'sha256-"), "\(page)")
    #expect(page.contains("<title>segue</title>") && page.hasSuffix("</html>\n"))
    #expect(try curl("", "-I", "-H", "Accept: */*").contains("\r\nContent-Type: audio/ogg\r\n"))
    let events = try ChildProcess(
      ["curl", "-sN", "-o", folder("events"), address + "events"], environment: environment)
    let told = { String(decoding: contents(of: folder("events")), as: UTF8.self) }
    #expect(eventually { told().contains("\"name\":\"modes\",\"data\":{\"shuffle\":false,") }, "\(told())")
    #expect(eventually { told().contains("data: {\"event\":\"change\",\"name\":\"track\",\"data\":{") }, "\(told())")
    let answer = try send("volume 37")
    #expect(answer.hasPrefix("{\"error\":\"success\",\"data\":{\"state\":"), "\(answer)")
    #expect(eventually { told().contains("{\"volume\":37,\"muted\":false}}\n\n") }, "\(told())")
    #expect(try send("queue 1 1").contains("\"row\":1,"))
    #expect(try send("status").contains("\"track\":{"))
    _ = try curl("cover?1", "-o", folder("cover"))
    #expect(contents(of: folder("cover")) == contents(of: fixture("picture.png")))
    for line in ["quit", "set web=off", "add /", "save \(folder("list.m3u8"))"] {
      #expect(try send(line).contains("the page does not take this command"), "\(line)")
    }
    events.end()
    #expect(try send("status").contains("\"error\":\"success\""), "it still runs")
    player.end()
  }

  @Test func `what the library has is found and added`() throws {
    for (number, title) in ["Aria <b>", "Variatio"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(number + 1)")]
      try write(madeMP3(sound: number, tags, frames: 400), to: folder("music/\(number).mp3"))
    }
    _ = try ChildProcess.output(of: [Program.path, "library", "add", folder("music")], environment: environment)
    let player = try play("set stream=\(port.number)\nset web=on\n")
    let found = try curl("search?goldberg%20bach")
    #expect(
      found.hasPrefix("[{\"kind\":\"album\",\"title\":\"Goldberg\",\"artist\":\"Bach\",\"count\":2},"), "\(found)")
    #expect(found.contains("\"title\":\"Aria <b>\""))
    #expect(try send("add 0 goldberg bach", to: "found").contains("\"error\":\"success\""))
    #expect(eventually { (try? send("queue"))?.contains("\"name\":\"Variatio\"") == true })
    #expect(try send("play 0 variatio", to: "found").contains("\"error\":\"success\""))
    #expect(eventually { (try? send("status"))?.contains("\"title\":\"Variatio\"") == true })
    #expect(try send("rate 8").contains("\"error\":\"success\""))
    #expect(eventually { (try? send("status"))?.contains("\"rating\":8") == true })
    #expect(try curl("search?%22").contains("[]"))
    player.end()
  }

  @Test func `pages of others, names of others and wrong passwords are refused`() throws {
    let player = try play("set stream=0.0.0.0:\(port.number)\nset web=on\nset stream-password='open sesame'\n")
    for path in ["", "events", "cover", "search?a", "stream"] {
      #expect(try curl(path, "-i", "-H", "Accept: text/html").hasPrefix("HTTP/1.1 401 "), "\(path)")
      #expect(try curl(path, "-i", "-u", "me:wrong").hasPrefix("HTTP/1.1 401 "), "\(path)")
    }
    #expect(try curl("command", "-i", "-u", "me:", "-d", "pause").hasPrefix("HTTP/1.1 401 "))
    #expect(try curl("command", "-u", "me:open sesame", "-d", "pause").hasPrefix("{\"error\":\"success\""))
    for field in ["Origin: http://page.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
      let answer = try curl("command", "-i", "-u", "me:open sesame", "-H", field, "-d", "pause")
      #expect(answer.hasPrefix("HTTP/1.1 403 ") && !answer.contains("Access-Control"), "\(answer)")
    }
    let own = "Origin: http://127.0.0.1:\(port.number)"
    #expect(try curl("command", "-u", "me:open sesame", "-H", own, "-d", "pause").hasPrefix("{\"error\":\"success\""))
    player.end()
    let other = try play("set stream=\(port.number)\nset web=on\n")
    #expect(try curl("command", "-i", "-H", "Host: page.example", "-d", "pause").hasPrefix("HTTP/1.1 421 "))
    #expect(try curl("", "-i", "-H", "Host: page.example", "-H", "Accept: text/html").hasPrefix("HTTP/1.1 421 "))
    other.end()
  }
}
