import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The files that `:save` replaces, and those that it refuses to replace.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Saving the queue` {
  private let stage: Stage
  private let other = "#EXTM3U\n/music/one.mp3\n/music/two.mp3\n"

  init() throws {
    stage = try Stage(tracks: [])
    try write(other.utf8, to: stage.folder("Mix.m3u8"))
  }

  /// Types a command line.
  private func command(_ line: String) {
    stage.terminal?.press(":")
    stage.terminal?.press("-l", line)
    stage.terminal?.press("Enter")
  }

  private func text(_ name: String) -> String { String(decoding: contents(of: stage.folder(name)), as: UTF8.self) }

  private func end() {
    stage.terminal?.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `replaces another playlist only with save!, and keeps that one as a backup`() throws {
    try stage.show("--output", "null", fixture("gapless-1.mp3"))
    #expect(stage.see("1 of 1"))
    command("save \(stage.folder("Mix"))")
    #expect(stage.isTold("not saved: Mix.m3u8 exists. The command with a ! replaces it and keeps a"))
    #expect(text("Mix.m3u8") == other)
    command("save! \(stage.folder("Mix"))")
    #expect(stage.isTold("1 track written to"))
    #expect(text("Mix.m3u8") == "#EXTM3U\n\(canonical(fixture("gapless-1.mp3")))\n")
    #expect(text("Mix.m3u8~") == other)
    // The queue is now that playlist's.
    command("add \(fixture("gapless-2.mp3"))")
    #expect(stage.isTold("1 track added"))
    command("save \(stage.folder("Mix"))")
    #expect(stage.isTold("2 tracks written to"))
    end()
  }

  @Test func `never writes an empty queue, nor into a folder that is not there`() throws {
    try stage.show("--output", "null", stage.folder("Mix.m3u8"))
    // Later the failure of the second track would replace the answer.
    #expect(stage.see { $0.contains("two.mp3") && $0.contains("nothing could be played") })
    command("save \(stage.folder("missing/list"))")
    #expect(stage.isTold { $0.contains("no folder") && $0.contains("missing: not saved") })
    #expect(access(stage.folder("missing"), F_OK) != 0)
    command("clear")
    #expect(stage.see("Queue is empty"))
    #expect(stage.isSaid("nothing to save") { command("save! \(stage.folder("Mix"))") })
    #expect(text("Mix.m3u8") == other)
    end()
  }

  @Test func `replaces the playlist that was loaded, which load finds by the name that save was given`() throws {
    let path = canonical(fixture("gapless-1.mp3"))
    try write("#EXTM3U\n\(path)\n".utf8, to: stage.folder("Mix.m3u8"))
    try stage.show("--output", "null", fixture("gapless-2.mp3"))
    #expect(stage.see("1 of 1"))
    command("load \(stage.folder("Mix"))")
    #expect(stage.see("gapless-1"))
    command("add \(fixture("gapless-2.mp3"))")
    #expect(stage.isTold("1 track added"))
    command("save \(stage.folder("Mix"))")
    #expect(stage.isTold("2 tracks written to"))
    #expect(text("Mix.m3u8~") == "#EXTM3U\n\(path)\n")
    end()
  }

  @Test func `does not replace a playlist whose loading was undone`() throws {
    // A track that plays: the failure of another would replace the answer.
    let list = "#EXTM3U\n\(canonical(fixture("gapless-2.mp3")))\n"
    try write(list.utf8, to: stage.folder("Mix.m3u8"))
    try stage.show("--output", "null", fixture("gapless-1.mp3"))
    #expect(stage.see("1 of 1"))
    command("load \(stage.folder("Mix"))")
    #expect(stage.see("gapless-2"))
    command("undo")
    #expect(stage.see("gapless-1"))
    command("save \(stage.folder("Mix"))")
    #expect(stage.isTold("not saved: Mix.m3u8 exists"))
    #expect(text("Mix.m3u8") == list)
    end()
  }
}
