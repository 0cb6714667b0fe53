import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `segue` with addresses, run as a process.
@Suite("segue with addresses", .serialized, .onThreadsOfTheirOwn)
struct NetworkCommandTests {
  private let home = try? TemporaryFolder()

  private func segue(_ arguments: String...) throws -> Program.Result { try segue(arguments) }

  private func segue(_ arguments: [String]) throws -> Program.Result {
    try Program.run(["env", "SEGUE_HOME=\(try #require(home).path)", Program.path] + arguments)
  }

  @Test(
    "decode and info say of an address what they say of the file",
    arguments: [
      "e2-44100-v2.mp3", "mp4-alac.m4a", "caf-alac.caf", "flac-tagged.flac", "chained-vorbis.ogg", "mkv-opus.webm",
    ])
  func sameAsFile(name: String) throws {
    let nginx = try Nginx(serving: fixture(""))
    defer { nginx.end() }
    for place in ["ranges", "whole"] {
      let address = "\(nginx.address)/\(place)/\(name)"
      let remote = try segue("decode", "-o", "-", address)
      #expect(remote.status == 0 && remote.errors == "")
      let isSame = identical(remote.output, try Program.segue("decode", "-o", "-", fixture(name)).output)
      #expect(isSame)
      let facts = try segue("info", "--json", address).text.replacing("\"\(address)\"", with: "")
      #expect(
        facts == (try Program.segue("info", "--json", fixture(name)).text).replacing("\"\(fixture(name))\"", with: ""))
    }
    #expect(try names(in: "cache/streams").count { $0.hasSuffix(".record") } == 2)
  }

  @Test("plays an address, and a playlist of some, sample for sample")
  func plays() throws {
    let body = try contents(fixture("gapless-1.mp3"))
    let server = try ScriptedServer { request, connection in
      switch request.path {
      case "/list.pls":
        connection.serve(Array("[playlist]\nFile1=a.mp3\nFile2=/a.mp3\n".utf8), request, type: "audio/x-scpls")
      case "/a.mp3": connection.serve(body, request)
      default: connection.sendHead("404 Not Found")
      }
    }
    let sound = try Program.segue("decode", "--raw", "-o", "-", fixture("gapless-1.mp3")).output
    let played = try segue("--no-ui", "--no-cache", "--output", "wav:-", server.address + "/list.pls")
    #expect(played.status == 0 && played.errors == "", "\(played.errors)")
    let isSame = identical(Array(played.output.suffix(2 * sound.count)), sound + sound)
    #expect(isSame)
    #expect(home.map { access($0.path + "/cache", F_OK) } == -1, "--no-cache leaves nothing behind")
  }

  @Test("puts a playlist of any name in the place of its address, and those in it, but no files of this computer")
  func playsUnnamedPlaylists() throws {
    let names = ["one": "gapless-1.mp3", "two": "gapless-2.mp3", "three": "gapless-1.mp3"]
    let bodies = try names.mapValues { try contents(fixture($0)) }
    let server = try ScriptedServer { request, connection in
      let lists = [
        "tune-in": "[playlist]\nFile1=one\nFile2=inner?x=1\nFile3=file://\(fixture("gapless-1.mp3"))\nFile4=two\n",
        "inner?x=1": "#EXTM3U\nthree\n", "named": "[playlist]\nFile1=a.cue\nFile2=list.m3u8\n",
        "a.cue": "FILE one WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 0:0:20\n",
        "list.m3u8": "#EXTM3U\n#EXTINF:1,Two\ntwo\n#EXTINF:1,Three\nthree\n",
        "round": "http://HOST/round\nhttp://HOST/two\n", "nothing": "[playlist]\n",
      ]
      let name = String(request.path.dropFirst())
      if let list = lists[name] {
        let text = list.replacing("HOST", with: request.fields["host"] ?? "")
        connection.serve(Array(text.utf8), request, type: "text/plain")
      } else if let body = bodies[name] {
        connection.serve(body, request)
      } else {
        connection.sendHead("404 Not Found")
      }
    }
    let sounds = try names.mapValues { try Program.segue("decode", "--raw", "-o", "-", fixture($0)).output }
    func play(_ names: String...) throws -> Program.Result {
      try segue(["--no-ui", "--no-cache", "--output", "wav:-"] + names.map { server.address + "/" + $0 })
    }
    func expect(_ played: Program.Result, _ sound: [UInt8], _ sourceLocation: SourceLocation = #_sourceLocation) {
      // After the header of the WAVE file.
      let isSame = identical(Array(played.output.suffix(sound.count)), sound)
      let isAll = played.output.count - sound.count < 200
      #expect(
        played.status == 0 && played.errors == "" && isSame && isAll,
        "\(played.output.count) bytes for \(sound.count), \(played.errors)", sourceLocation: sourceLocation)
    }
    let inOrder = try ["one", "three", "two"].flatMap { try #require(sounds[$0]) }
    let two = try #require(sounds["two"])
    expect(try play("tune-in", "two"), inOrder + two)
    // A sheet, and a list that is called like one of HLS, both found only in a list.
    expect(try play("named"), try ["one", "two", "three"].flatMap { try #require(sounds[$0]) })
    // After another track, so that it is opened before it plays.
    expect(try play("two", "tune-in"), two + inOrder)
    // Nine times: at each depth, and once where no more are opened.
    expect(try play("round"), Array(repeatElement(two, count: 9).joined()))
    let nothing = try play("nothing")
    #expect(nothing.status == 2 && nothing.errors.contains("has no entries on the network"))
    // `decode` takes one input for one sound, as before.
    let decoded = try segue("decode", "--raw", "-o", "-", server.address + "/tune-in")
    let isSame = identical(decoded.output, try #require(sounds["one"]))
    #expect(decoded.status == 0 && isSame)
  }

  @Test("says in one line what is wrong, without name and password")
  func complains() throws {
    let nginx = try Nginx(serving: fixture(""))
    defer { nginx.end() }
    let host = nginx.address.replacing("http://", with: "")
    for command in [["info"], ["decode", "-o", "-"], ["packets"], ["--no-ui", "--output", "null"]] {
      let address = "http://me:secret@\(host)/none.mp3"
      let result = try Program.run(["env", "SEGUE_HOME=/dev/null/nowhere", Program.path] + command + [address])
      #expect(result.status == 2)
      #expect(
        result.errors.hasPrefix("segue: http://\(host)/none.mp3: cannot open: the server answers 404"),
        "\(result.errors)")
      #expect(!result.errors.contains("secret") && !result.text.contains("secret"))
    }
  }

  @Test("says at once that a server is busy and when it tries again, and ends soon")
  func busy() throws {
    let body = try contents(fixture("gapless-1.mp3"))
    let server = try ScriptedServer { request, connection in
      if request.path == "/a.mp3", request.number > 0 { return connection.serve(body, request) }
      connection.sendHead("503 Busy", (request.path == "/a.mp3" ? ["Retry-After: 2"] : []) + ["Content-Length: 0"])
    }
    let address = server.address + "/a.mp3"
    let read = try segue("decode", "--no-cache", "--raw", "-o", "-", address)
    let busy = "the server is busy (the server answers 503 Busy), trying again in"
    #expect(read.status == 0 && read.errors == "segue: \(address): \(busy) 2 s\n", "\(read.errors)")
    let isSame = identical(
      read.output, try Program.segue("decode", "--raw", "-o", "-", fixture("gapless-1.mp3")).output)
    #expect(isSame)
    let asked = server.requests.count
    let refused = try segue("info", "--no-cache", server.address + "/b.mp3")
    #expect(refused.status == 2 && server.requests.count == asked + 4, "\(refused.errors)")
    let lines = refused.errors.split(separator: "\n")
    #expect(lines.count == 4 && lines.dropLast().allSatisfy { $0.contains(busy) }, "\(refused.errors)")
    #expect(lines.last?.contains("/b.mp3: cannot open: the server answers 503 Busy") == true, "\(refused.errors)")
  }

  @Test("reads over TLS, and trusts only the given certificates")
  func secure() throws {
    let nginx = try Nginx(serving: fixture(""))
    defer { nginx.end() }
    let address = nginx.secureAddress + "/ranges/gapless-1.mp3"
    let refused = try segue("info", address)
    #expect(refused.status == 2 && refused.errors.contains("certificate"), "\(refused.errors)")
    let trust = "SSL_CERT_FILE=\(nginx.certificate)"
    let server = try ScriptedServer { _, connection in
      connection.sendHead("301 Moved", ["Location: \(address)", "Content-Length: 0"])
    }
    for address in [address, server.address + "/a.mp3"] {
      let read = try Program.run(["env", trust, Program.path, "info", "--no-cache", address])
      #expect(read.status == 0, "\(read.errors)")
    }
  }

  @Test("uses a proxy if there is one and the host is not an exception")
  func proxy() throws {
    let body = try contents(fixture("gapless-1.mp3"))
    let proxy = try ScriptedServer { request, connection in
      if request.path == "http://music.invalid/a.mp3" { connection.serve(body, request) }
    }
    func info(_ exceptions: String, _ address: String) throws -> Program.Result {
      try Program.run([
        "env", "http_proxy=http://me:secret@" + proxy.address.dropFirst("http://".count), "no_proxy=\(exceptions)",
        Program.path, "info", "--no-cache", address,
      ])
    }
    #expect(try info("", "http://music.invalid/a.mp3").status == 0)
    #expect(proxy.requests.count == 1 && proxy.requests.first?.fields["proxy-authorization"] == "Basic bWU6c2VjcmV0")
    let refused = try info("music.invalid", "http://music.invalid/a.mp3")
    #expect(refused.status == 2 && !refused.errors.contains("secret"), "\(refused.errors)")
    #expect(proxy.requests.count == 1)
    // A proxy that sends nothing.
    let silent = try info("", "http://music.invalid/b.mp3")
    #expect(silent.status == 2 && !silent.errors.contains("secret"), "\(silent.errors)")
  }

  @Test("a station whose address ends like a playlist's is recognised")
  func noPlaylist() throws {
    let server = try ScriptedServer { _, connection in
      connection.send("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
      connection.waitForClient()
    }
    let played = try segue("--no-ui", "--output", "null", server.address + "/listen.pls")
    #expect(played.status == 2 && played.errors.contains("this is a station, not a playlist"), "\(played.errors)")
  }

  @Test("the answer of a proxy to CONNECT is not the server's answer")
  func tunnel() throws {
    let nginx = try Nginx(serving: fixture(""))
    defer { nginx.end() }
    let port = try #require(nginx.secureAddress.split(separator: ":").last.flatMap { UInt16($0) })
    let proxy = try ScriptedServer { request, connection in
      if request.method == "CONNECT" { connection.tunnel(toPort: port) }
    }
    func info(_ name: String) throws -> Program.Result {
      try Program.run([
        "env", "https_proxy=" + proxy.address, "SSL_CERT_FILE=\(nginx.certificate)", Program.path, "info", "--json",
        "--no-cache", nginx.secureAddress + name,
      ])
    }
    let missing = try info("/ranges/none.mp3")
    #expect(missing.status == 2 && missing.errors.contains("the server answers 404"), "\(missing.errors)")
    #expect(try info("/ranges/mp4-aac.m4a").status == 0)
    #expect(proxy.requests.map(\.path) == Array(repeating: "127.0.0.1:\(port)", count: proxy.requests.count))
  }

  @Test("the content decides before the type from the server", arguments: ["text/html", "audio/wav", "video/mp4", "x"])
  func wrongType(type: String) throws {
    let body = try contents(fixture("gapless-1.mp3"))
    let server = try ScriptedServer { request, connection in connection.serve(body, request, type: type) }
    let read = try segue("decode", "--no-cache", "-o", "-", server.address + "/listen")
    let isSame = identical(read.output, try Program.segue("decode", "-o", "-", fixture("gapless-1.mp3")).output)
    #expect(isSame, "\(read.errors)")
  }

  private func names(in name: String) throws -> [String] {
    try Program.run(["ls", try #require(home).path + "/" + name]).text.split(separator: "\n").map { String($0) }
  }
}
