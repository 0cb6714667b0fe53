import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The restored session, and the user's files of settings.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The session` {
  private func type(_ text: String, on stage: Stage) { stage.terminal?.press("-l", text) }

  @Test func `queue, position to the sample, volume, modes, selection, view and pause are restored`() throws {
    // A minute long, so that the keys come before its end.
    let stage = try Stage("vbr-60s-without-header.mp3")
    let terminal = try stage.show(
      "--volume", "100", fixture("e2-44100-cbr160.mp3"), fixture("vbr-60s-without-header.mp3"),
      fixture("gapless-2.mp3"))
    #expect(stage.waitFor("playing"))
    terminal.press("j", "Enter")
    #expect(stage.hear(frames: 44100))
    terminal.press("Space")
    #expect(stage.waitFor("paused user"))
    terminal.press("r")
    #expect(stage.see("repeat all"))
    let pause = try #require(stage.lastState?.frame())
    terminal.press("G", "5", "q")
    #expect(stage.endOnScreen() == 0)
    // The place that a busy server tells late is not in the event.
    let saved = String(decoding: contents(of: stage.folder("home/state/session")), as: UTF8.self)
    let seconds = try #require(saved.firstMatch(of: /\nposition (\S+)\n/).flatMap { Double($0.1) })
    let position = Int((seconds * 44100).rounded())
    #expect(abs(position - pause) <= stage.lateAnswer)
    try stage.start([])
    #expect(stage.see { $0.contains("⏸ paused") && $0.contains("track 2 of 3  repeat all") })
    terminal.press("1", "Space")
    #expect(stage.waitFor("playing"))
    // At the sample at which it stopped.
    #expect(stage.hear(frames: 44100))
    let runs = stage.listener.runs
    #expect(runs.contains { $0.track == 0 && $0.frames.lowerBound == position }, "\(runs), \(position)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `what played is continued paused while another segue runs, which says so`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see("▶ "))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    let environment = stage.server.environment.merging(["SEGUE_HOME": stage.folder("home")]) { $1 }
    let first = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--repeat", "all", fixture("gapless-1.mp3")],
      environment: environment, errors: "/dev/null")
    defer { first.signal(SIGKILL) }
    let folder = stage.server.environment["XDG_RUNTIME_DIR"].flatMap(\.self)
    let control = try #require(folder) + "/segue/control"
    #expect(eventually { access(control, F_OK) == 0 })
    try stage.start(["--output", "null"])
    #expect(stage.see { $0.contains("another segue is open, so this one starts paused") && $0.contains("⏸ paused") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `after a kill the state of some seconds before is restored, and Q leaves the saved session`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"), fixture("gapless-1.mp3"))
    #expect(stage.see("▶ "))
    terminal.press("S")
    let running = stage.folder("home/state/running-session")
    #expect(eventually { String(decoding: contents(of: running), as: UTF8.self).contains("shuffle on") })
    let order = { (file: String) in
      let text = String(decoding: contents(of: stage.folder("home/state/" + file)), as: UTF8.self)
      return text.split(separator: "\n").first { $0.hasPrefix("#SEGUE-ORDER:") }
    }
    let round = order("running-queue.m3u8")
    #expect(round != nil)
    stage.signal(SIGKILL)
    #expect(stage.endOnScreen() == 137)
    terminal.press("reset", "Enter")
    try stage.start(["--output", "null"])
    #expect(stage.see { $0.contains("▶ ") && $0.contains("1 of 2") && $0.contains("shuffle") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(order("queue.m3u8") == round)
    #expect(contents(of: running).isEmpty)
    let saved = contents(of: stage.folder("home/state/session"))
    try stage.start(["--output", "null"])
    #expect(stage.see("▶ "))
    terminal.press("S", "v")
    terminal.send(":quit without-saving\r")
    #expect(stage.endOnScreen() == 0)
    let isUntouched = contents(of: stage.folder("home/state/session")) == saved
    #expect(isUntouched && !saved.isEmpty)
  }

  @Test func `with arguments the former queue is kept, even that of a crash`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see("▶ "))
    #expect(eventually { !contents(of: stage.folder("home/state/running-session")).isEmpty })
    stage.signal(SIGKILL)
    #expect(stage.endOnScreen() == 137)
    terminal.press("reset", "Enter")
    for (file, former) in [("gapless-1", "vbr-60s-without-header"), ("gapless-2", "gapless-1")] {
      try stage.start(["--output", "null", fixture("\(file).mp3")])
      #expect(stage.see(file))
      terminal.press("q")
      #expect(stage.endOnScreen() == 0)
      let kept = contents(of: stage.folder("home/state/previous-queue.m3u8"))
      #expect(String(decoding: kept, as: UTF8.self).hasSuffix("/\(former).mp3\n"))
    }
  }

  @Test func `session=off holds at once, and so does on`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see("▶ "))
    let running = stage.folder("home/state/running-session")
    #expect(eventually { !contents(of: running).isEmpty })
    type(":set session=off", on: stage)
    terminal.press("Enter")
    #expect(eventually { contents(of: running).isEmpty })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(contents(of: stage.folder("home/state/session")).isEmpty && contents(of: running).isEmpty)
    try stage.start(["--output", "null", "-o", "session=off", fixture("gapless-1.mp3")])
    #expect(stage.see("gapless-1"))
    type(":set session=on", on: stage)
    terminal.press("Enter")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(!contents(of: stage.folder("home/state/session")).isEmpty)
  }

  @Test func `an address is written without name and password, in the session and in playlists`() throws {
    let stage = try Stage(tracks: [])
    let nginx = try Nginx(serving: fixture(""))
    defer { nginx.end() }
    let place = "/secret/vbr-60s-without-header.mp3"
    let terminal = try stage.show("--output", "null", nginx.address.replacing("//", with: "//me:s3same@") + place)
    #expect(stage.see("▶ "))
    #expect(terminal.screen.contains("s3same") == false)
    type(":keep http://me:s3same@host/ Mine", on: stage)
    terminal.press("Enter", ":")
    type("save \(stage.folder("saved"))", on: stage)
    terminal.press("Enter")
    #expect(stage.isTold("1 track written to"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    for name in ["home/state/queue.m3u8", "saved.m3u8"] {
      let text = String(decoding: contents(of: stage.folder(name)), as: UTF8.self)
      #expect(text == "#EXTM3U\n\(nginx.address)\(place)\n")
    }
    #expect(!contents(of: stage.folder("home/state/streams.m3u8")).isEmpty)
    #expect(try ChildProcess.output(of: ["grep", "-rl", "s3same", stage.folder("home"), stage.folder("events")]) == "")
  }

  @Test func `gain, equaliser, balance and speed are restored, and config sets them`() throws {
    let stage = try Stage(tracks: [])
    try ChildProcess(["mkdir", "-p", stage.folder("home")]).wait()
    try write("set eq=rock\nset preamp=-6\n".utf8, to: stage.folder("home/config"))
    let terminal = try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"), columns: 160)
    #expect(stage.see("▶ "))
    for line in ["gain album", "speed 1.25", "set balance=-0.5", "preamp 3"] {
      type(":\(line)", on: stage)
      terminal.press("Enter")
    }
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    try write("set eq=rock\nset preamp=-3\n".utf8, to: stage.folder("home/config"))
    try stage.start(["--output", "null"])
    #expect(stage.see("▶ "))
    // The value in the file is newer than the one set by hand.
    for (name, value) in [
      ("gain", "album"), ("speed", "1.25"), ("balance", "-0.5"), ("preamp", "-3"), ("eq", "rock"),
    ] {
      type(":\(name)", on: stage)
      terminal.press("Enter")
      #expect(stage.isTold("\(name) is \(value); "))
    }
    #expect(stage.see("1.25x"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a station is restored live`() throws {
    let stage = try Stage(tracks: [])
    let audio = contents(of: fixture("vbr-60s-without-header.mp3"))
    let server = try ScriptedServer { _, connection in
      connection.send("ICY 200 OK\r\nicy-name: Radio\r\nContent-Type: audio/mpeg\r\n\r\n")
      connection.send(audio[...])
      connection.waitForClient()
    }
    let terminal = try stage.show("--output", "null", server.address)
    #expect(stage.see("▶ ", fromSecond: 3))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    let session = stage.folder("home/state/session")
    let saved = String(decoding: contents(of: session), as: UTF8.self)
    #expect(saved.contains("\nposition 0.0\n"))
    // An earlier version wrote down a place, hours into the station.
    try write(saved.replacing("\nposition 0.0\n", with: "\nposition 7200.5\n").utf8, to: session)
    try stage.start(["--output", "null"])
    #expect(stage.see("▶ ", fromSecond: 2))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a terminal without a screen and nothing to play is the end`() throws {
    let terminal = try PseudoTerminal()
    let folder = try TemporaryFolder()
    let player = try ChildProcess(
      [Program.path, "--output", "null"], environment: ["TERM": "dumb", "SEGUE_HOME": folder("home")],
      output: .terminal(terminal), errors: folder("errors"))
    #expect(eventually { player.isOver })
    #expect(player.wait() == 1)
    #expect(String(decoding: contents(of: folder("errors")), as: UTF8.self).contains("nothing to play: give files"))
  }

  @Test func `a damaged session is set aside, and said`() throws {
    let stage = try Stage(tracks: [])
    try ChildProcess(["mkdir", "-p", stage.folder("home/state")]).wait()
    try write("segue session 1\nvolume lo".utf8, to: stage.folder("home/state/session"))
    let terminal = try stage.show("--output", "null")
    #expect(stage.isTold("could not be read and is set aside"))
    #expect(!contents(of: stage.folder("home/state/session.damaged")).isEmpty)
    #expect(stage.see("3Files"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    // A queue beside it is restored all the same.
    try write("segue session 2\nend\n".utf8, to: stage.folder("home/state/session"))
    try write("\(canonical(fixture("gapless-1.mp3")))\n".utf8, to: stage.folder("home/state/queue.m3u8"))
    try stage.start(["--output", "null"])
    #expect(stage.see("gapless-1"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a new user finds music with Files, and edits the queue`() throws {
    let stage = try Stage(tracks: [])
    try ChildProcess(["mkdir", "-p", stage.folder("music/Album"), stage.folder("home")]).wait()
    for (name, file) in [
      ("01 A.mp3", "gapless-1.mp3"), ("02 B.mp3", "vbr-60s-without-header.mp3"), ("notes.txt", "gapless-1.mp3"),
    ] {
      try write(contents(of: fixture(file)), to: stage.folder("music/Album/\(name)"))
    }
    try write("set music=\(stage.folder("music"))\n".utf8, to: stage.folder("home/config"))
    let terminal = try stage.show("--output", "null")
    #expect(stage.see("Setup"))
    terminal.press("3")
    #expect(stage.see("Album/"))
    terminal.press("a", "1")
    #expect(stage.see { $0.contains("02 B.mp3") && $0.contains("2 tracks") })
    terminal.press("j", "K", ":")
    type("save \(stage.folder("saved"))", on: stage)
    terminal.press("Enter")
    #expect(stage.isTold("2 tracks written to"))
    let album = stage.folder("music/Album")
    #expect(
      String(decoding: contents(of: stage.folder("saved.m3u8")), as: UTF8.self)
        == "#EXTM3U\n\(album)/02 B.mp3\n\(album)/01 A.mp3\n")
    terminal.press("d", "d")
    #expect(stage.see("Queue is empty"))
    terminal.press("u", "u", "u")
    #expect(stage.see { $0.contains("1  01 A.mp3") && $0.contains("2  02 B.mp3") })
    terminal.press(":")
    type("load \(stage.folder("sav"))", on: stage)
    terminal.press("Tab")
    #expect(stage.see("saved.m3u8"))
    terminal.press("Enter")
    #expect(stage.see { $0.contains(">  1  02 B.mp3") && $0.contains("▶ ") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `settings are read again when they change, without the lines that are wrong`() throws {
    let stage = try Stage(tracks: [])
    /// True if the time that is left is shown, of a minute.
    func showsRest(_ screen: String) -> Bool { screen.contains(" -0:") || screen.contains(" -1:00") }
    try ChildProcess(["mkdir", "-p", stage.folder("home")]).wait()
    try write("set remaining=on\n".utf8, to: stage.folder("home/config"))
    let terminal = try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see { $0.contains("▶ ") && showsRest($0) })
    try write("set remaining=off\nbind gz pause\n".utf8, to: stage.folder("home/config"))
    #expect(stage.isTold("settings reloaded") && stage.see { !showsRest($0) })
    terminal.press("g", "z")
    #expect(stage.see("⏸ paused"))
    try write("set remaining=on\nbind gz nothing\n".utf8, to: stage.folder("home/config"))
    #expect(stage.see { showsRest($0) })
    terminal.press("5")
    #expect(stage.see("config:2:9: unknown command \"nothing\""))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
