import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The view Find of the real program, in its sandbox.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The finder on the screen`
{
  /// Three files with titles, lyrics beside the second, and a cue sheet of the third.
  private func makeMusic(_ stage: Stage) throws -> String {
    let music = stage.folder("music")
    try #require(mkdir(music, 0o700) == 0)
    for (index, title) in ["Aria", "Variatio", "Quodlibet"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(index + 1)")]
      try write(madeMP3(sound: index, tags, frames: 4000), to: "\(music)/\(index).mp3")
    }
    try write("[00:01.00]nothing\n[01:00.00]sing a song\n".utf8, to: "\(music)/1.lrc")
    try write(
      "FILE \"2.mp3\" MP3\nTRACK 01 AUDIO\nTITLE \"Overture\"\nINDEX 01 00:00:00\n".utf8, to: "\(music)/set.cue")
    return music
  }

  @Test func `one search finds tracks, playlists, tracks of cue sheets and lyrics, and Enter opens each`() throws {
    let stage = try Stage(tracks: [])
    let music = try makeMusic(stage)
    let terminal = try stage.show("\(music)/0.mp3")
    #expect(stage.see("Aria"))
    func find(_ text: String, _ row: String) {
      terminal.press("F")
      terminal.send(text)
      #expect(stage.see(row), "\(text): \(terminal.screen)")
    }
    func say(_ command: String, _ answer: String) {
      terminal.press(":")
      terminal.send(command)
      terminal.press("Enter")
      #expect(stage.isTold(answer), "\(command): \(terminal.screen)")
    }
    say("library add \(music)", "3 read")
    terminal.press("1")
    say("playlist add 'Road trip'", "playlist Road trip made, with 1 track")
    terminal.send(":cd \(music)\r")
    #expect(stage.see("set.cue"), "\(terminal.screen)")

    find("varia", " Tracks\n   Variatio")
    terminal.press("Enter")
    #expect(stage.see("▶ Variatio") && stage.see("   Bach\n"), "\(terminal.screen)")
    #expect(stage.see("3Files") && stage.see("set.cue"), "the view before is back")
    find("song sing", " Lyrics\n   sing a song")
    terminal.press("Enter")
    #expect(stage.see { $0.split(separator: "\n").last?.contains(#/^ 1:[0-4]\d /#) == true })
    find("road", " Playlists\n   Road trip")
    terminal.press("Enter")
    #expect(stage.see("Library > Road trip") && stage.see("1  Aria"), "\(terminal.screen)")
    find("overture", " Cue sheets\n   Overture")
    terminal.press("Tab", "a", "1")
    #expect(stage.see("1 of 2") && stage.see("Overture"), "\(terminal.screen)")
    find("bach", " Artists\n   Bach")
    terminal.press("Escape")
    #expect(stage.see("1 of 2") && stage.see { !$0.contains(" Artists\n   Bach") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }

  @Test func `without a library the queue and the files are found`() throws {
    let stage = try Stage(tracks: [])
    let music = try makeMusic(stage)
    let terminal = try stage.show("\(music)/0.mp3", "\(music)/1.mp3", "\(music)/2.mp3")
    #expect(stage.see("Quodlibet"))
    terminal.press("F")
    terminal.send("quod")
    #expect(stage.see(" Queue\n   Quodlibet"), "\(terminal.screen)")
    terminal.press("Enter")
    #expect(stage.see("▶ ") && stage.see("   Bach\n") && stage.see("3 of 3"), "\(terminal.screen)")
    terminal.press("F")
    terminal.send("nowhere")
    #expect(stage.see("No matches."), "\(terminal.screen)")
    terminal.press("Escape")
    #expect(stage.see { !$0.contains("No matches.") && $0.contains("3 of 3") }, "\(terminal.screen)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
    #expect(access(stage.folder("home/data/catalogue.db"), F_OK) != 0, "searching makes no library")
  }
}
