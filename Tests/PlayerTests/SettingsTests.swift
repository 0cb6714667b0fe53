import ByteIO
import Glibc
import Playback
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Commands
@testable import Player

/// Settings of the player: from files, by hand, and from the session before.
struct SettingsTests {
  @Test func `the first settings all reach the engine, later ones only if they differ`() throws {
    let bench = try Bench()
    bench.session.adopt(settings("crossfade=4"), changes: [])
    #expect(bench.engine.sent.contains(.set(.crossfade(4))) && bench.engine.sent.contains(.set(.timeShift(600))))
    bench.engine.sent = []
    bench.session.adopt(settings("crossfade=5", "gain=album"))
    #expect(bench.engine.sent == [.set(.crossfade(5)), .set(.gain(.album, preamp: 0))])
    #expect(bench.observer.settings.last == settings("crossfade=5", "gain=album"))
  }

  @Test func `the sound that was changed by hand stays when the files are read again`() throws {
    let bench = try Bench()
    bench.session.adopt(settings("preamp=2"), changes: [])
    for line in ["eq rock", "preamp 3", "set crossfade=2"] { try bench.perform(line) }
    bench.session.adopt(settings("preamp=6", "crossfade=1"))
    #expect(bench.session.settings == settings("eq=rock", "preamp=6", "crossfade=1"))
  }

  @Test func `the sound of the last session is restored`() throws {
    let bench = try Bench()
    let changes = [SettingChange(.eq, "rock", from: "flat"), SettingChange(.speed, "1.5", from: "1.25")]
    bench.session.adopt(Settings(), changes: changes)
    #expect(bench.session.settings == settings("eq=rock"))
    #expect(bench.session.record.changes == [SettingChange(.eq, "rock", from: "flat")])
  }

  @Test func `listens that were switched on by hand are kept, what opens a port or names a server is not`() throws {
    let bench = try Bench()
    for line in ["set listenbrainz=on", "set lastfm=http://me:word@host/", "set lyrics=online", "set stream=8000"] {
      try bench.perform(line)
    }
    #expect(bench.session.record.changes == [SettingChange(.listenbrainz, "on", from: "off")])
    bench.session.adopt(settings("listenbrainz=http://me:word@host/"), changes: [])
    try bench.perform("set listenbrainz=off")
    #expect(bench.session.record.changes == [])
  }

  @Test(arguments: [("cp1251", "windows-1251"), ("KOI8-R", "koi8-r"), ("auto", "auto"), ("latin1", "windows-1252")])
  func `a character set has one name, whatever it is called`(value: String, name: String) {
    var settings = Settings()
    #expect(settings.set(.charset, to: value) == nil && settings.text(of: .charset) == name)
    #expect(settings.set(.charset, to: "utf-16")?.hasPrefix("unknown charset \"utf-16\". Choose auto, ") == true)
    #expect(settings.charset == name)
    #expect(Setting.charset.values.allSatisfy { settings.set(.charset, to: $0) == nil && settings.charset == $0 })
  }

  @Test func `a speed holds for the album in which it was set`() {
    let entries = ["book/1", "book/2", "music/1"].enumerated().map { index, name in
      QueueEntry(id: index, location: .file(BytePath("/\(name).mp3")))
    }
    let (one, two, music) = (entries[0], entries[1], entries[2])
    var speed = AlbumSpeed()
    #expect(speed.speed(of: one, nil, standard: 1) == 1)
    speed.note(1.5, standard: 1, in: one, nil)
    let speeds = [one, two, music, two].map { speed.speed(of: $0, nil, standard: 1) }
    #expect(speeds == [1.5, 1.5, 1, 1.5], "in the book again, its speed is back")
    speed.note(1.25, standard: 1.1, in: nil, nil)
    #expect(
      [music, one].map { speed.speed(of: $0, nil, standard: 1.1) } == [1.25, 1.1], "set while nothing was loaded")
    speed.note(1.1, standard: 1.1, in: one, nil)
    #expect(
      [one, music].map { speed.speed(of: $0, nil, standard: 1) } == [1, 1], "the speed of the files is no other")
    // Tags decide: one folder, two albums.
    let facts = ["A", "B"].map { name in
      var facts = TrackFacts()
      facts.album = name
      return facts
    }
    speed.note(2, standard: 1, in: one, facts[0])
    #expect(speed.speed(of: two, facts[1], standard: 1) == 1 && speed.speed(of: music, facts[0], standard: 1) == 2)
  }

  @Test func `music after a book plays at its own speed`() throws {
    let bench = try Bench("a")
    try #require(mkdir(bench.folder("music"), 0o700) == 0)
    try Bench.writeTrack(bench.folder("music/b.wav"))
    bench.session.sessionQueue.add([.file(BytePath(bench.folder("music/b.wav")))], .turn(.end))
    for line in ["play", "speed 1.5"] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    #expect(bench.session.record.changes == [SettingChange(.speed, "1.5", from: "1")])
    bench.run(milliseconds: 1000)
    #expect(bench.played == ["a", "b"] && bench.session.settings.speed == 1 && bench.session.record.changes == [])
    #expect(bench.engine.sent.last { if case .set(.speed) = $0 { true } else { false } } == .set(.speed(1)))
    #expect(bench.observer.sentences.last == "speed 1 again: 1.5 was for what played before")
  }

  @Test func `ten steps of the speed are exact, and their sum is limited`() throws {
    let bench = try Bench()
    for _ in 0..<3 { try bench.perform("speed +0.1") }
    #expect(bench.engine.sent == [.set(.speed(1.1)), .set(.speed(1.2)), .set(.speed(1.3))])
    try bench.perform("speed *4")
    #expect(bench.session.settings.speed == 2)
  }

  @Test(arguments: Setting.allCases) func `every setting accepts and shows each of its values`(
    setting: Setting
  ) throws {
    for value in setting.values {
      let bench = try Bench()
      try bench.perform("set \(setting.rawValue)=\(value)")
      try bench.perform("set \(setting.rawValue)")
      #expect(bench.observer.sentences.last?.hasPrefix("\(setting.rawValue) is \(value)") == true)
    }
  }

  @Test func `a value that is not possible changes nothing`() throws {
    let bench = try Bench()
    bench.session.perform(.set(.crossfade, "13"))
    #expect(bench.observer.sentences == ["crossfade must be 0 to 12 seconds, not \"13\""])
    #expect(bench.engine.sent == [] && bench.session.settings == Settings())
  }

  @Test(arguments: [
    ("6600", "127.0.0.1:6600", true), ("0.0.0.0:6600", "0.0.0.0:6600", false), ("[::1]:70", "[::1]:70", true),
    ("localhost:1", "127.0.0.1:1", true), ("[fe80::1]:65535", "[fe80::1]:65535", false),
    ("127.1.2.3:6600", "127.1.2.3:6600", true),
  ])
  func `addresses for clients are read and shown`(text: String, shown: String, isLoopback: Bool) throws {
    let address = try #require(ListenAddress(text))
    #expect(address.description == shown && address.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "0", "65536", "x", "-1", "1.2.3:6600", "127.0.0.256:1", "::1:6600", "[127.0.0.1]:1", "host:6600", "127.0.0.1:",
    "+80",
    "[]:6600", "127.0.0.1.example.org:1", "127.00.0.1:1",
  ])
  func `other addresses are refused`(text: String) throws {
    #expect(ListenAddress(text) == nil)
    let bench = try Bench()
    bench.session.perform(.set(.remoteMPD, text))
    #expect(bench.session.settings.remoteMPD == nil && bench.observer.sentences.count == 1)
  }

  @Test(arguments: ["set on-event=touch", "set resolver='host touch'"])
  func `programs come from files only`(line: String) throws {
    let bench = try Bench()
    try bench.perform(line)
    #expect(bench.session.settings.programs == ProgramSettings())
    #expect(bench.observer.sentences.last?.contains("only be set in the file config") == true)
  }

  @Test func `the password comes from files only, and is never shown`() throws {
    let bench = try Bench()
    bench.session.adopt(settings("remote-mpd-password=secret"), changes: [])
    #expect(bench.session.settings.remoteMPDPassword == "secret")
    try bench.perform("set remote-mpd-password=other")
    try bench.perform("set remote-mpd-password")
    #expect(bench.session.settings.remoteMPDPassword == "secret")
    #expect(bench.observer.sentences.count == 2 && !bench.observer.sentences.contains { $0.contains("secret") })
    #expect(bench.session.settings.text(of: .remoteMPDPassword) == "set")
  }
}
