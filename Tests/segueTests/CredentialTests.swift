import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Names and passwords: of the address, or from `~/.netrc`, for their own host only, and never shown.
@Suite("segue with names and passwords", .serialized, .onThreadsOfTheirOwn)
struct CredentialTests {
  private static let file = "gapless-1.mp3"
  private let folder: TemporaryFolder
  private let nginx: Nginx

  init() throws { (folder, nginx) = (try TemporaryFolder(), try Nginx(serving: fixture(""))) }

  private func segue(_ arguments: String...) throws -> Program.Result {
    try Program.run(["env", "HOME=\(folder.path)", "SEGUE_HOME=\(folder.path)/segue", Program.path] + arguments)
  }

  private func address(_ place: String, as userInfo: String = "", file: String = Self.file) -> String {
    nginx.address.replacing("//", with: "//\(userInfo)") + "/\(place)/\(file)"
  }

  private func trust(_ host: String) throws {
    try write("machine \(host) login me password s3same\n".utf8, to: folder.path + "/.netrc")
  }

  @Test("an address's own, wrong ones, and none") func ofAddress() throws {
    let sound = try Program.segue("decode", "-o", "-", fixture(Self.file)).output
    let read = try segue("decode", "-o", "-", address("secret", as: "me:s3%73ame@"))
    let isSame = identical(read.output, sound)
    #expect(isSame && read.errors == "")
    let wrong = try segue("info", "--no-cache", address("secret", as: "me:else@"))
    #expect(
      wrong.status == 2 && wrong.errors.contains("401 Unauthorized: it does not take this name"), "\(wrong.errors)")
    let none = try segue("info", "--no-cache", address("secret"))
    #expect(none.status == 2 && none.errors.contains("password for 127.0.0.1 into ~/.netrc"), "\(none.errors)")
    #expect(!(wrong.errors + none.errors + wrong.text).contains("else@"))
  }

  @Test("those of ~/.netrc, for the host that they are of") func ofFile() throws {
    try trust("example.org")
    #expect(try segue("info", "--no-cache", address("secret")).status == 2)
    try trust("127.0.0.1")
    #expect(try segue("info", "--no-cache", address("secret")).status == 0)
    #expect(try segue("info", "--no-cache", address("home")).status == 0)
    // The address has precedence.
    #expect(try segue("info", "--no-cache", address("secret", as: "me:else@")).status == 2)
  }

  @Test("a redirect to another host takes none of them along") func redirects() throws {
    #expect(try segue("info", "--no-cache", address("home", as: "me:s3same@")).status == 0)
    #expect(nginx.requests.last?.hasSuffix("me") == true)
    try trust("127.0.0.1")
    for userInfo in ["me:s3same@", ""] {
      let refused = try segue("info", "--no-cache", address("away", as: userInfo))
      #expect(refused.status == 2 && refused.errors.contains("for localhost into ~/.netrc"), "\(refused.errors)")
      #expect(nginx.requests.last == "localhost /secret/\(Self.file) \"-\" 401 -")
    }
    try trust("localhost")
    #expect(try segue("info", "--no-cache", address("away")).status == 0, "the other host has its own")
  }

  @Test("entries of a list on the same server are requested with its name and password") func lists() throws {
    let body = try contents(fixture(Self.file))
    let server = try ScriptedServer { request, connection in
      guard request.fields["authorization"] == "Basic bWU6czNzYW1l" else {
        return connection.refuse()
      }
      switch request.path {
      case "/old.m3u": connection.redirect(to: "/new.m3u")
      case "/new.m3u":
        let entries = "a.mp3\nhttp://\(request.fields["host"] ?? "")/b.mp3\n"
        connection.serve(Array(entries.utf8), request, type: "audio/x-mpegurl")
      default: connection.serve(body, request)
      }
    }
    let list = server.address.replacing("//", with: "//me:s3same@") + "/old.m3u"
    let played = try segue("--no-ui", "--no-cache", "--output", "wav:-", list)
    #expect(played.status == 0 && played.errors == "" && played.output.count > 10_000, "\(played.errors)")
  }

  @Test("neither other users nor any file get to see them") func hidden() throws {
    let file = "vbr-60s.mp3"
    let place = address("secret", as: "me:s3same@", file: file)
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--events", folder.path + "/events", place],
      environment: ["HOME": folder.path, "SEGUE_HOME": folder.path + "/segue"], errors: folder.path + "/errors")
    defer { player.end() }
    // Until it plays: all facts about it are written by then.
    var isHeard = false
    while !isHeard, !player.isOver {
      let events = (try? contents(folder.path + "/events")) ?? []
      isHeard = String(decoding: events, as: UTF8.self).contains("playing")
      usleep(10_000)
    }
    #expect(isHeard)
    let line = String(decoding: try contents("/proc/\(player.id)/cmdline"), as: UTF8.self)
    #expect(line.contains("/secret/\(file)") && !line.contains("s3same"), "\(line)")
    player.end()
    let found = try Program.run(["grep", "-r", "-l", "s3same", folder.path]).text
    #expect(found.isEmpty, "\(found)")
  }
}

extension ScriptedServer.Connection {
  fileprivate func refuse() { sendHead("401 Unauthorized", ["WWW-Authenticate: Basic realm=x", "Content-Length: 0"]) }
  fileprivate func redirect(to path: String) { sendHead("302 Found", ["Location: \(path)", "Content-Length: 0"]) }
}
