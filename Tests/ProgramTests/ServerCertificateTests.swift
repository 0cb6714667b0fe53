import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The real program, and a server of music with a certificate of its own.
@Suite(.onThreadsOfTheirOwn) struct `A server with a certificate of its own` {
  private let folder: TemporaryFolder
  private let server: ScriptedServer
  private let front: TLSFront
  private var environment: [String: String?] { ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path] }

  init() throws {
    folder = try TemporaryFolder()
    server = try ScriptedServer { request, connection in
      let isList = request.path.contains("/getAlbumList2.view"), isAlbum = request.path.contains("/getAlbum.view")
      let part =
        isList
        ? ",\"albumList2\":{\"album\":[{\"id\":\"a\",\"songCount\":1}]}"
        : isAlbum ? ",\"album\":{\"id\":\"a\",\"name\":\"A\",\"song\":[{\"id\":\"1\",\"title\":\"Song\"}]}" : ""
      let text = "{\"subsonic-response\":{\"status\":\"ok\",\"version\":\"1.16.1\",\"type\":\"made\"\(part)}}"
      connection.sendHead("200 OK", ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
    front = try TLSFront(before: server.address)
  }

  /// Runs the program to its end, with a password on its standard input.
  private func run(_ arguments: String...) throws -> String {
    let script = "printf 'sesame\\n' | \"$@\" 2>&1; echo \"status $?\""
    return try output(ofClient: ["sh", "-c", script, "sh", Program.path] + arguments, environment)
  }

  @Test func `is accepted once, and a change is an alarm that sends nothing`() throws {
    let first = try front.fingerprint()
    let refused = try run("library", "add", front.address, "--user", "me")
    #expect(refused.contains("its SHA-256 fingerprint is \(first)") && !refused.contains("status 0"), "\(refused)")
    #expect(server.requests.isEmpty)
    let other = try run(
      "library", "add", front.address, "--user", "me", "--certificate", String(repeating: "0", count: 64))
    #expect(other.contains(first) && !other.contains("status 0") && server.requests.isEmpty, "\(other)")
    let added = try run("library", "add", front.address, "--user", "me", "--certificate", first)
    #expect(added.contains("1 file found: 1 read") && added.contains("status 0"), "\(added)")
    var status = stat()
    #expect(stat(folder("home/data/servers"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    let doctor = try run("doctor")
    #expect(doctor.contains("server 127.0.0.1") && doctor.contains("certificate accepted by you"), "\(doctor)")
    #expect(try run("library", "add", front.address, "--user", "me").contains("status 0"), "it is asked for once")

    try front.renew()
    let (count, second) = (server.requests.count, try front.fingerprint())
    let digits = [first, second].map { $0.lowercased().filter { $0 != ":" } }
    let scan = try run("library", "scan")
    #expect(scan.contains("has CHANGED from SHA-256 \(digits[0]) to \(digits[1])"), "\(scan)")
    #expect(scan.contains("1 away"), "\(scan)")
    #expect(try run("doctor").contains("has CHANGED from SHA-256"))
    let again = try run("library", "add", front.address, "--user", "me")
    #expect(again.contains("NOT the one that you accepted before, \(first)") && again.contains(second), "\(again)")
    #expect(server.requests.count == count, "nothing was sent")
    #expect(
      try run("library", "add", front.address, "--user", "me", "--certificate", second).contains("status 0"))
  }

  @Test func `is accepted on the terminal before the password is asked for`() throws {
    let terminal = try PseudoTerminal()
    let program = try ChildProcess(
      [Program.path, "library", "add", front.address, "--user", "me"], environment: environment,
      output: .terminal(terminal), errors: folder("errors"))
    func asks(_ words: String) -> Bool {
      eventually { String(decoding: contents(of: folder("errors")), as: UTF8.self).contains(words) }
    }
    #expect(asks("[yes/no] "))
    terminal.send("yes\r")
    #expect(asks("Password of me at \(front.address): "))
    terminal.send("sesame\r")
    #expect(program.wait() == 0)
    let isAdded = eventually { terminal.output.contains("1 file found") }
    #expect(isAdded, "\(terminal.output)")
  }
}
