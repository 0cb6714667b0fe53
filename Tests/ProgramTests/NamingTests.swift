import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Files that are named on the screen: typed, completed, pasted, dropped.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Naming files` {
  private let stage: Stage

  init() throws {
    stage = try Stage(tracks: [])
    try ChildProcess(["mkdir", "-p", stage.folder("music/Lists"), stage.folder("home")]).wait()
    // The one that plays is long enough to be seen playing.
    for (name, source) in [
      ("A b.mp3", "vbr-60s-without-header.mp3"), ("Don't 'c'.mp3", "gapless-2.mp3"), ("sound", "gapless-1.mp3"),
    ] {
      try write(contents(of: fixture(source)), to: stage.folder("music/\(name)"))
    }
    try write("[00:01.00]la\n".utf8, to: stage.folder("music/A b.lrc"))
    try write("#EXTM3U\n../A b.mp3\n".utf8, to: stage.folder("music/Lists/one.m3u8"))
    try write("set music=\(stage.folder("music"))\n".utf8, to: stage.folder("home/config"))
  }

  private func command(_ line: String) {
    stage.terminal?.press(":")
    stage.terminal?.press("-l", line)
    stage.terminal?.press("Enter")
  }

  /// Pastes a text as terminals do, in brackets.
  private func paste(_ text: String) throws {
    try write(text.utf8, to: stage.folder("pasted"))
    stage.terminal?.paste(stage.folder("pasted"), inBrackets: true)
  }

  private func end() {
    stage.terminal?.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `completion and names begin in the folder that Files shows, and need no quotes`() throws {
    let terminal = try stage.show("--output", "null")
    #expect(stage.see("Setup"), "the guide of the first start")
    terminal.press("3")
    #expect(stage.see("Lists/"))
    terminal.press(":")
    terminal.press("-l", "add A")
    terminal.press("Tab")
    #expect(stage.see(":add A\\ b.mp3"))
    terminal.press("Enter")
    #expect(stage.isTold("1 track added"))
    command("add Don't 'c'.mp3")
    terminal.press("1")
    #expect(stage.see { $0.contains("Don't 'c'.mp3") && $0.contains("2 tracks") })
    command("load Lists/one")
    #expect(stage.isTold("1 track in place of the queue") && stage.see("▶ "))
    end()
  }

  @Test func `a file without audio is refused, and so is a folder of playlists`() throws {
    let terminal = try stage.show("--output", "null")
    #expect(stage.see("Setup"))
    terminal.press("Escape")
    #expect(stage.see { $0.contains("A b.mp3") && !$0.contains("A b.lrc") })
    terminal.press("M-.")
    #expect(stage.see("A b.lrc"))
    command("add /etc/passwd")
    #expect(stage.isTold("/etc/passwd: not an audio file"))
    terminal.press("/")
    terminal.press("-l", "lrc")
    terminal.press("Enter", "Enter")
    #expect(stage.isTold("A b.lrc: not an audio file"))
    terminal.press("g", "j", "a")
    #expect(stage.isTold("only playlists here: open one of them"))
    // A name that says nothing, and sound in it.
    command("add sound")
    #expect(stage.isTold("1 track added"))
    terminal.press("1")
    #expect(stage.see { $0.contains("1  sound") && $0.contains("1 track") })
    end()
  }

  @Test func `pasted or dropped files and addresses play, or are added while something plays`() throws {
    try stage.show("--output", "null", fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see("▶ "))
    // In the form of text dropped on terminals, then of several files copied in file managers.
    try paste("'\(stage.folder("music"))/Don'\\''t '\\''c'\\''.mp3' ")
    #expect(stage.isTold("1 track added") && stage.see(" 2 tracks"))
    try paste("file://\(stage.folder("music"))/A%20b.mp3\nfile://\(stage.folder("music"))/sound\n")
    #expect(stage.isTold("2 tracks added") && stage.see(" 4 tracks"))
    try write("no such thing".utf8, to: stage.folder("pasted"))
    #expect(
      stage.isSaid("The pasted text is not a path or an address") {
        stage.terminal?.paste(stage.folder("pasted"), inBrackets: true)
      })
    try paste("/no such/thing")
    #expect(stage.isTold("no such file or address: /no such/thing"))
    command("clear")
    command("stop")
    #expect(stage.see { $0.contains("Queue is empty") && $0.contains("stopped") })
    try paste("\(stage.folder("music"))/A b.mp3")
    #expect(stage.see { $0.contains("▶ ") && $0.contains("1 of 1") })
    end()
  }
}
