import Foundation
import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `segue doctor`, run as a process: its results agree with playback.
@Suite("segue doctor", .onThreadsOfTheirOwn) struct DoctorCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Finding {
    var verdict, text, remedy: String
    var facts: [String: Any]
  }

  private struct Report {
    var status: Int32
    var canPlay: Bool?
    var findings: [String: Finding] = [:]
  }

  private func doctor(_ environment: [String: String?] = [:]) throws -> Report {
    let ours: [String: String?] = ["SEGUE_HOME": folder.path, "PULSE_SERVER": "unix:/no/server", "TERM": "xterm"]
    let child = try ChildProcess(
      [Program.path, "doctor", "--json"], environment: ours.merging(environment) { $1 }, output: .collected)
    var bytes: [UInt8] = []
    while case let more = child.read(), !more.isEmpty { bytes += more }
    let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    var report = Report(status: child.wait(), canPlay: object["canPlay"] as? Bool)
    for finding in try #require(object["findings"] as? [[String: Any]]) {
      func text(_ name: String) -> String { finding[name] as? String ?? "" }
      report.findings[text("subject")] = Finding(
        verdict: text("verdict"), text: text("text"), remedy: text("remedy"),
        facts: finding["facts"] as? [String: Any] ?? [:])
    }
    return report
  }

  @Test func `a server that answers is named, with its output, and playback works`() throws {
    let server = try SoundServer(sink: "sink_name=null7 rate=48000 channels=1 norewinds=1")
    let report = try doctor(server.environment.merging(["SEGUE_HOME": folder.path]) { $1 })
    #expect(report.status == 0 && report.canPlay == true)
    let found = try #require(report.findings["sound server"])
    #expect(found.verdict == "ok", "\(found)")
    #expect(found.facts["address"] as? String == server.address)
    let sink = try #require(found.facts["sink"] as? [String: Any])
    #expect(sink["name"] as? String == "null7")
    #expect(sink["sampleRate"] as? Int == 48000 && sink["channels"] as? Int == 1)
    try server.pactl("set-sink-mute", "null7", "1")
    let muted = try doctor(server.environment.merging(["SEGUE_HOME": folder.path]) { $1 })
    #expect(muted.status == 0 && muted.findings["sound server"]?.verdict == "warning")
  }

  @Test func `without a server, or without an output, playback does not work`() throws {
    let report = try doctor()
    #expect(report.status == 1 && report.canPlay == false)
    #expect(report.findings["sound server"]?.verdict == "error")
    #expect(report.findings["sound server"]?.remedy.contains("pulseaudio --start") == true)
    let server = try SoundServer()
    let elsewhere = try doctor(server.environment.merging(["PULSE_SINK": "nowhere"]) { $1 })
    #expect(elsewhere.status == 1)
    #expect(elsewhere.findings["sound server"]?.text.contains("no output") == true)
  }

  @Test(
    arguments: [
      "libFLAC", "libvorbis", "libopus", "libfaad", "libavcodec", "libavformat", "libopencore-amrnb",
      "libopencore-amrwb", "libcurl", "Rubber Band", "libsamplerate", "libcrypto", "libpng16", "libturbojpeg",
      "libwebp", "libpulse", "libasound", "libfribidi", "libuchardet", "libpcre2-8", "libmp3lame",
    ])
  func `a library that cannot be opened is named with its package, the others with their files`(
    subject: String
  ) throws {
    let whole = try doctor()
    let there = try #require(whole.findings[subject])
    #expect(there.verdict == "ok", "\(there)")
    let path = try #require(there.facts["file"] as? String)
    let sonames = try #require(there.facts["sonames"] as? [String])
    #expect(sonames.contains { path.contains("/" + $0) } && access(path, R_OK) == 0)
    // Debian knows better whose file it is.
    let package = try #require(there.facts["package"] as? String)
    let owner = try ChildProcess.output(of: ["dpkg-query", "-S", path])
    #expect(owner.hasPrefix(package + ":"), "\(owner)")
    for (name, finding) in whole.findings where finding.facts["file"] is String && name != "session" {
      #expect(finding.verdict == "ok", "\(name): \(finding)")
    }
    // The loader takes the first file of a name, which is not a library here.
    for soname in sonames { try write([], to: folder.path + "/" + soname) }
    let hidden = try #require(try doctor(["LD_LIBRARY_PATH": folder.path]).findings[subject])
    #expect(hidden.verdict == "warning" && hidden.text.contains("not usable: "), "\(hidden)")
    #expect(hidden.remedy == "apt install \(package)")
  }

  /// What `scripts/list-libraries` prints of the table in CLibraries.
  private func libraries(_ form: String) throws -> String {
    try ChildProcess.output(of: ["sh", "-c", "cd '\(root)' && scripts/list-libraries \(form)"])
  }

  private var root: String { #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } }

  @Test func `the package for Debian recommends the libraries`() throws {
    let names = Set(try libraries("debian").split { " ,|:\n".contains($0) })
    let packages = try doctor().findings.values.compactMap { $0.facts["package"] as? String }
    #expect(packages.count > 10)
    // libmpg123 is linked, libpulse0 is among Depends.
    for package in packages where !package.hasPrefix("libmpg123") && package != "libpulse0" {
      #expect(names.contains(Substring(package)), "\(package)")
    }
  }

  @Test func `the table of the files and packages is that of the program`() throws {
    let document = String(decoding: try contents(root + "/docs/DEPENDENCIES.md"), as: UTF8.self)
    #expect(document.contains(try libraries("table")), "scripts/list-libraries table prints it")
  }

  /// Packagers read them: uapi-group.org/specifications/specs/elf_dlopen_metadata.
  @Test func `notes in the program name the libraries that it opens`() throws {
    let notes = try ChildProcess.output(of: ["readelf", "--notes", Program.path])
    // Newer ones name the type.
    let count = notes.components(of: "0x407c0c0a") + notes.components(of: "FDO_DLOPEN_METADATA")
    #expect(count == (try libraries("table").split(separator: "\n").count) - 2)
    let note = """
      FDO\u{0}[{"soname":["libFLAC.so.14","libFLAC.so.12"],"feature":"libFLAC","description":"FLAC",\
      "priority":"recommended"}]\u{0}
      """
    // Not as text, whose search takes minutes.
    #expect(try Data(contents(Program.path)).range(of: Data(note.utf8)) != nil)
  }

  @Test func `settings with errors, a damaged session and a cache are reported, and not changed`() throws {
    mkdir(folder.path + "/state", 0o700)
    mkdir(folder.path + "/cache", 0o700)
    mkdir(folder.path + "/cache/streams", 0o700)
    try write("set mouse=off\nset mouse=perhaps\n".utf8, to: folder.path + "/config")
    try write("no session".utf8, to: folder.path + "/state/session")
    try write([UInt8](repeating: 1, count: 3 << 20), to: folder.path + "/cache/streams/a.bytes")
    let report = try doctor()
    let settings = try #require(report.findings["settings"])
    #expect(settings.verdict == "warning" && settings.text.contains("config:2:5"), "\(settings)")
    #expect(settings.remedy == "fix these; all other lines are in use")
    chmod(folder.path + "/config", 0o666)
    let ignored = try #require(try doctor().findings["settings"])
    #expect(ignored.remedy.contains("ignored") && ignored.remedy.hasSuffix("chmod go-w \(folder.path)/config"))
    #expect(report.findings["session"]?.verdict == "warning")
    #expect(try contents(folder.path + "/state/session") == Array("no session".utf8))
    let cache = try #require(report.findings["cache"])
    #expect(cache.verdict == "ok" && cache.facts["bytes"] as? Int == 3 << 20, "\(cache)")
    let nowhere = try doctor(["SEGUE_HOME": folder.path + "/config/below-a-file"])
    #expect(nowhere.findings["cache"]?.verdict == "warning")
  }

  @Test func `the features of a terminal are queried, and its state is restored`() throws {
    let terminal = try PseudoTerminal()
    let child = try ChildProcess(
      [Program.path, "doctor"],
      environment: [
        "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLORTERM": "truecolor", "PULSE_SERVER": "unix:/no/server",
        "SEGUE_HOME": folder.path,
      ], output: .terminal(terminal))
    #expect(waitUntil { terminal.output.contains("\u{1b}[c") })
    terminal.send("\u{1b}[5;2R\u{1b}[?1006;2$y\u{1b}[?1016;0$y\u{1b}[?2026;1$y\u{1b}[?64;1c")
    #expect(child.wait() == 1)
    #expect(terminal.currentModes == terminal.initialModes)
    let line = "256 colours (true colour), UTF-8: yes, mouse: yes, mouse in pixels: no, synchronized output: yes"
    let isReported = waitUntil { terminal.output.contains(line) && terminal.output.contains("Sound does not work") }
    #expect(isReported, "\(terminal.output)")
  }

  @Test(arguments: [("dumb", "no screen"), ("no-such-terminal", "no terminfo entry")])
  func `a terminal without a screen is reported`(term: String, words: String) throws {
    let finding = try #require(try doctor(["TERM": term]).findings["terminal"])
    #expect(finding.verdict == "warning" && finding.text.contains(words), "\(finding)")
    #expect(!finding.remedy.isEmpty)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
