import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The view Library of the real program, in its sandbox.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The library on the screen`
{
  @Test func `a folder is added, scanned, searched and played`() throws {
    let stage = try Stage(tracks: [])
    let music = stage.folder("music")
    try #require(mkdir(music, 0o700) == 0)
    for (index, title) in ["Aria", "Variatio", "Quodlibet"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(index + 1)")]
      try write(madeMP3(sound: index, tags, frames: 1200), to: "\(music)/\(index).mp3")
    }
    let terminal = try stage.show()
    #expect(stage.see("1Queue"))
    terminal.press("2")
    #expect(stage.see("2Lib") && stage.see("No music yet"))
    terminal.press(":")
    terminal.send("library add \(music)")
    terminal.press("Enter")
    #expect(stage.isTold("scan: 3 files found: 3 read"), "\(terminal.screen)")
    try write(
      madeMP3(sound: 3, [("TIT2", "Late"), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "4")], frames: 400),
      to: stage.folder("late.mp3"))
    // At once: the half of it that a busy machine has written would be read, too.
    try #require(rename(stage.folder("late.mp3"), "\(music)/late.mp3") == 0)
    #expect(stage.isTold("library updated: 4 files found: 1 read, 3 unchanged"), "\(terminal.screen)")
    #expect(stage.see("Artists") && stage.see("Recently added"))
    terminal.press("Enter")
    // The rows come after the name of the list.
    #expect(stage.see { $0.contains("Library > Artists") && $0.contains("Bach") })
    terminal.press("l")
    #expect(stage.see { $0.contains("Library > Artists > Bach") && $0.contains("Goldberg") })
    terminal.press("l")
    #expect(stage.see("Variatio") && stage.see("Artists > Bach > Goldberg"))
    terminal.press("h", "/")
    terminal.send("vari")
    #expect(stage.see("search: vari") && stage.see { !$0.contains("Quodlibet") && $0.contains("Variatio") })
    terminal.press("Escape")
    #expect(stage.see { !$0.contains("search: vari") })
    terminal.press("/")
    terminal.send("art")
    terminal.press("Tab")
    #expect(stage.see("/artist:"), "\(terminal.screen)")
    terminal.press("Tab")
    #expect(stage.see("/artist:Bach") && stage.see("search: artist:Bach"), "\(terminal.screen)")
    terminal.send("title:vari")
    #expect(stage.see { $0.contains("search: artist:Bach title:vari") && !$0.contains("Quodlibet") })
    terminal.press("Enter", "Enter")
    #expect(stage.waitFor("playing"))
    #expect(stage.see("▶ Variatio"))
    #expect(stage.see { $0.contains(" >  2  Variatio") }, "the current track is marked")
    terminal.press(":")
    terminal.send("add title:late")
    terminal.press("Enter")
    #expect(stage.isTold("1 track added"), "\(terminal.screen)")
    terminal.press(":")
    terminal.send("add nothing of this")
    terminal.press("Enter")
    #expect(stage.isTold("no file, address or track matches nothing of this"), "\(terminal.screen)")
    func add(_ words: String...) throws -> String {
      try ChildProcess.output(
        of: ["sh", "-c", "exec \"$@\" 2>&1", "", Program.path, "ctl", "add"] + words,
        environment: stage.server.environment)
    }
    #expect(try add("title:late") == "1 track added\n")
    #expect(try add("artist:bach title:\"late\"") == "1 track added\n")
    #expect(try add("artist:bach", "-title:quod") == "3 tracks added\n")
    #expect(try add("goldberg") == "4 tracks added: album Goldberg by Bach\n")
    #expect(try add("yaer:1", "artist:bach").contains("yaer"))
    #expect(try add("title:nothing").contains("no file, address or track matches title:nothing"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }

  @Test func `a playlist is made on the screen, and outlives renamed files and kill -9`() throws {
    let stage = try Stage(tracks: [])
    let music = stage.folder("music")
    try #require(mkdir(music, 0o700) == 0)
    for (index, title) in ["Aria", "Variatio", "Quodlibet"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(index + 1)")]
      try write(madeMP3(sound: index, tags, frames: 4000), to: "\(music)/\(index).mp3")
    }
    let terminal = try stage.show(music)
    #expect(stage.see("Quodlibet"))
    func say(_ command: String, _ answer: String) {
      terminal.press(":")
      terminal.send(command)
      terminal.press("Enter")
      #expect(stage.isTold(answer), "\(command): \(terminal.screen)")
    }
    say("library add \(music)", "scan: 3 files found: 3 read")
    terminal.press("1", "G", "P")
    terminal.send("'Road trip'")
    terminal.press("Enter")
    #expect(stage.isTold("playlist Road trip made, with 1 track"), "\(terminal.screen)")
    terminal.press("g", "P")
    terminal.send("R")
    terminal.press("Tab")
    #expect(stage.see(":playlist add Road\\ trip"), "the name is completed")
    terminal.press("Enter")
    #expect(stage.isTold("1 track added to Road trip"))

    terminal.press("2")
    #expect(stage.see("Playlists"))
    terminal.press("G", "Enter")
    #expect(stage.see("Library > Playlists") && stage.see("2 tracks"))
    terminal.press("Enter")
    #expect(stage.see("1  Quodlibet") && stage.see("2  Aria"))
    terminal.press("J")
    #expect(stage.see("1  Aria") && stage.see("2  Quodlibet"))
    terminal.press("d")
    #expect(stage.isTold("1 track removed from Road trip") && stage.see { !$0.contains("  Quodlibet") })
    terminal.press("u")
    #expect(stage.isTold("undone: remove 1 track from Road trip") && stage.see("2  Quodlibet"))

    try #require(rename("\(music)/2.mp3", "\(music)/renamed.mp3") == 0)
    try #require(unlink("\(music)/0.mp3") == 0)
    // The library may have noticed the changes by itself before.
    say("library scan", "scan: 2 files found")
    #expect(stage.see { $0.contains("missing") && $0.contains("1  Aria") && $0.contains("2  Quodlibet") })
    say("playlist export 'Road trip' \(stage.folder("out"))", "2 tracks written to")
    let exported = String(decoding: contents(of: stage.folder("out.m3u8")), as: UTF8.self)
    #expect(exported.hasSuffix("\n\(music)/renamed.mp3\n") && exported.contains("Quodlibet\n"), "\(exported)")
    say("playlist duplicate 'Road trip' Copy", "playlist Road trip duplicated as Copy")
    // The queue names the file as it was called before.
    terminal.press("1", "G", "Enter")
    #expect(stage.see("▶ Quodlibet"))
    terminal.press("5")
    #expect(stage.see("1 moved"))
    stage.signal(SIGKILL)
    #expect(stage.endOnScreen() == 137)

    try stage.start([])
    #expect(stage.see("1Queue"))
    terminal.press("2")
    #expect(stage.see("Playlists"))
    terminal.press("G", "Enter")
    #expect(stage.see("Copy") && stage.see("Road trip"), "\(terminal.screen)")
    terminal.press("G", "Enter")
    #expect(stage.see("1  Aria") && stage.see("2  Quodlibet"))
    terminal.press("G", "Enter")
    #expect(stage.see("▶ Quodlibet"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
