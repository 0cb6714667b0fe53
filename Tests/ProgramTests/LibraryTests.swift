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
      try write(madeMP3(sound: index, tags, frames: 400), to: "\(music)/\(index).mp3")
    }
    let terminal = try stage.show()
    #expect(stage.see("1 Queue"))
    terminal.press("2")
    #expect(stage.see("2 Library") && stage.see("No music yet"))
    terminal.press(":")
    terminal.send("library add \(music)")
    terminal.press("Enter")
    #expect(stage.see("scan: 3 files found: 3 read"), "\(terminal.screen)")
    #expect(stage.see("Artists") && stage.see("Recently added"))
    terminal.press("Enter")
    #expect(stage.see("Library > Artists"))
    terminal.press("l")
    #expect(stage.see("Library > Artists > Bach"))
    terminal.press("l")
    #expect(stage.see("Variatio") && stage.see("Artists > Bach > Goldberg"))
    terminal.press("h", "/")
    terminal.send("vari")
    #expect(stage.see("search: vari") && stage.see { !$0.contains("Quodlibet") && $0.contains("Variatio") })
    terminal.press("Enter", "Enter")
    #expect(stage.waitFor("playing"))
    #expect(stage.see("▶ playing") && stage.see("Variatio - Bach - Goldberg"))
    #expect(stage.see { $0.contains(" >  2  Variatio") }, "the current track is marked")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }
}
