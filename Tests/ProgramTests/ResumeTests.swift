import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Resume points of the real program, in its sandbox.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Resume points` {
  @Test func `a long track continues where it was left, also under another name`() throws {
    let stage = try Stage(tracks: [])
    let music = stage.folder("music")
    try #require(mkdir(music, 0o700) == 0)
    try write(madeMP3(sound: 1, [("TIT2", "Chapter")], frames: 4000), to: "\(music)/book.mp3")
    try write(madeMP3(sound: 2, [("TIT2", "Song")], frames: 1000), to: "\(music)/song.mp3")
    let terminal = try stage.show("-o", "resume=1", music)
    // The player is left after 40 s, or later on a busy machine.
    let continued = /continued at (0:[45]|1:)\d/
    func say(_ command: String) {
      terminal.press(":")
      terminal.send(command)
      terminal.press("Enter")
    }
    #expect(stage.see("▶ ") && stage.see("Chapter"))
    say("seek 40")
    #expect(stage.see("▶ ", fromSecond: 41))
    say("next")
    #expect(stage.see("▶ Song"))
    say("previous")
    #expect(stage.isTold { $0.contains(continued) } && stage.see("▶ Chapter", fromSecond: 42))
    say("restart")
    #expect(
      stage.see {
        $0.contains("▶ Chapter") && $0.split(separator: "\n").last?.contains(#/^ 0:[0-3]\d /#) == true
      })
    say("seek 45")
    #expect(stage.see("▶ ", fromSecond: 46))
    say("next")
    #expect(stage.see("▶ Song"))
    say("repeat all")
    say("seek 25")
    // The song ends, and the track that follows by itself begins at its start.
    #expect(
      stage.see { $0.contains("▶ Chapter") && $0.split(separator: "\n").last?.contains(#/^ 0:[0-3]\d /#) == true },
      "\(terminal.screen)")
    say("seek 45")
    #expect(stage.see("▶ Chapter", fromSecond: 46))
    say("library add \(music)")
    #expect(stage.isTold("scan: 2 files found: 2 read"))
    say("quit without-saving")
    #expect(stage.endOnScreen() == 0)

    try #require(rename("\(music)/book.mp3", "\(music)/renamed.mp3") == 0)
    try stage.start(["\(music)/song.mp3"])
    #expect(stage.see("▶ Song"))
    say("library scan")
    #expect(stage.isTold("1 moved"))
    say("quit without-saving")
    #expect(stage.endOnScreen() == 0)

    try stage.start(["-o", "resume=1", "\(music)/renamed.mp3"])
    // From its start it would be there only after most of a minute.
    #expect(stage.isTold { $0.contains(continued) } && stage.see("▶ Chapter"))
    #expect(stage.see { $0.contains(#/\n (0:4[4-9]|0:5\d|1:\d\d) /#) }, "\(terminal.screen)")
    say("quit without-saving")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }
}
