import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Lyrics from a service, in the real program.
@Suite(.onThreadsOfTheirOwn) struct `Lyrics from a service` {
  /// A service that knows one song.
  private func service() throws -> ScriptedServer {
    try ScriptedServer { request, connection in
      let isSearch = request.path.hasPrefix("/api/search?track_name=Aria&artist_name=Bach")
      let text = #"[{"duration":3.1,"syncedLyrics":"[00:00.00]Nun komm\n[00:02.50]der Heiden"}]"#
      connection.sendHead(
        isSearch ? "200 OK" : "404 Not Found",
        ["Content-Type: application/json", "Content-Length: \(isSearch ? text.utf8.count : 0)"])
      if isSearch { connection.send(text) }
    }
  }

  @Test func `are fetched for the track that plays, if the setting says so, and kept`() throws {
    let server = try service()
    let stage = try Stage(tracks: [])
    let track = stage.folder("aria.mp3")
    // 3.1 s.
    try write(madeMP3(sound: 1, [("TIT2", "Aria"), ("TPE1", "Bach")], frames: 119), to: track)
    let terminal = try stage.show("--output", "null", "--repeat", "one", track)
    #expect(stage.see("▶ "))
    terminal.press("7")
    #expect(stage.see("No lyrics"))
    #expect(server.requests.isEmpty, "nothing is fetched unless the listener wants it")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)

    let arguments = ["--output", "null", "--repeat", "one", "-o", "lyrics=\(server.address)", track]
    try stage.start(arguments)
    #expect(stage.see("▶ "))
    terminal.press("7")
    #expect(stage.see("Nun komm") && stage.see("der Heiden"))
    #expect(server.requests.map { $0.path.prefix(11) } == ["/api/get?tr", "/api/search"])
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)

    try stage.start(arguments)
    #expect(stage.see("▶ "))
    terminal.press("7")
    #expect(stage.see("Nun komm"))
    #expect(server.requests.count == 2, "lyrics that were found are not fetched again")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }

  @Test func `are fetched for a track of a cue sheet, and as soon as the setting says so`() throws {
    let server = try service()
    let stage = try Stage(tracks: [])
    try write(madeMP3(sound: 1, [("TIT2", "Aria"), ("TPE1", "Bach")], frames: 119), to: stage.folder("aria.mp3"))
    let sheet = "FILE \"aria.mp3\" MP3\nTRACK 01 AUDIO\nTITLE \"Aria\"\nPERFORMER \"Bach\"\nINDEX 01 00:00:00\n"
    try write(Array(sheet.utf8), to: stage.folder("aria.cue"))
    let terminal = try stage.show("--output", "null", "--repeat", "one", stage.folder("aria.cue"))
    #expect(stage.see("▶ "))
    terminal.press("7")
    #expect(stage.see("No lyrics"))
    terminal.press(":set lyrics=\(server.address)", "Enter")
    #expect(stage.see("Nun komm"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `are shifted by keys and by clients, and the shift stays with the track`() throws {
    let stage = try Stage(tracks: [])
    let track = stage.folder("aria.mp3")
    try write(madeMP3(sound: 1, [("TIT2", "Aria"), ("TPE1", "Bach")], frames: 119), to: track)
    try write(Array("[00:00.00]Nun komm\n[00:02.50]der Heiden".utf8), to: stage.folder("aria.lrc"))
    let terminal = try stage.show("--output", "null", "--repeat", "one", track)
    #expect(stage.see("▶ "))
    terminal.press("7")
    #expect(stage.see("Nun komm"))
    terminal.press("++-+")
    // In the view, where it stays.
    #expect(stage.see("shifted by +0.2 s"))
    terminal.press(":lyrics-shift +1", "Enter")
    #expect(stage.see("shifted by +1.2 s"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)

    // The file has moved.
    let moved = stage.folder("moved.mp3")
    try write(madeMP3(sound: 1, [("TIT2", "Aria"), ("TPE1", "Bach")], frames: 119), to: moved)
    try write(Array("[00:00.00]Nun komm".utf8), to: stage.folder("moved.lrc"))
    try stage.start(["--output", "null", "--repeat", "one", moved])
    #expect(stage.see("▶ "))
    terminal.press("7")
    #expect(stage.see("shifted by +1.2 s"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }
}
