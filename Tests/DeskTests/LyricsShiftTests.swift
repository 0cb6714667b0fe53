import AudioModel
import ByteIO
import Library
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Desk

/// The shift of lyrics: the command, and the file that keeps it.
struct LyricsShiftTests {
  private func file(_ path: String, _ title: String?, _ artist: String?, in folder: TemporaryFolder) -> LyricsShiftFile
  {
    var tags = TrackTags()
    (tags.title, tags.artist, tags.album) = (title, artist, "Album")
    return LyricsShiftFile(of: QueueEntry(id: 1, location: .file(BytePath(path))), tags, in: BytePath(folder("lyrics")))
  }

  @Test(arguments: [
    ("+0.3", LyricsShift.by(0.3), 0.4), ("-0.1", .by(-0.1), 0), ("0", .to(0), 0), ("2.5", .to(2.5), 2.5),
    ("+60", .by(60), 60), ("-60", .by(-60), -59.9),
  ])
  func `a signed number changes the shift, any other sets it`(word: String, shift: LyricsShift, result: Double) throws {
    let command = try #require(try Command.parse("lyrics-shift " + word))
    #expect(command == .shiftLyrics(shift))
    #expect(try Command.parse(command.text) == command)
    #expect(shift.applied(to: 0.1) == result)
  }

  @Test(arguments: ["", "x", "61", "-61", "nan", "inf"])
  func `anything else is refused`(word: String) {
    #expect(throws: CommandError.self) { try Command.parse("lyrics-shift " + word) }
  }

  @Test func `ten small steps are one, and the sum is written without rests`() {
    let sum = (0..<3).reduce(0.0) { seconds, _ in LyricsShift.by(0.1).applied(to: seconds) }
    #expect(sum == 0.3 && LyricsShift.sentence(on: sum) == "shifted by +0.3 s")
  }

  @Test func `a moved file keeps its shift by its tags, one without tags has its own`() throws {
    let folder = try TemporaryFolder()
    try file("/music/a.mp3", "Aria", "Bach", in: folder).write(-1.25)
    #expect(file("/elsewhere/b.flac", "Aria", "Bach", in: folder).seconds == -1.25)
    #expect(file("/music/a.mp3", "Aria", "Gould", in: folder).seconds == 0)
    #expect(file("/music/a.mp3", "Aria", nil, in: folder).seconds == 0)
    try file("/music/a.mp3", nil, nil, in: folder).write(2)
    #expect(file("/music/a.mp3", nil, nil, in: folder).seconds == 2)
    #expect(file("/music/c.mp3", nil, nil, in: folder).seconds == 0)
    try file("/music/a.mp3", "Aria", "Bach", in: folder).write(0)
    #expect(file("/music/a.mp3", "Aria", "Bach", in: folder).seconds == 0)
  }

  @Test(arguments: ["", "nan", "1e400", "9999", "-0.5 s"])
  func `a damaged file harms nobody`(text: String) throws {
    let folder = try TemporaryFolder()
    let shift = file("/music/a.mp3", nil, nil, in: folder)
    try shift.write(1)
    let name = "/music/a.mp3".utf8.fnvDigits() + ".shift"
    try SmallFile.write(Array(text.utf8), to: BytePath(folder("lyrics/" + name)))
    #expect((-60...60).contains(shift.seconds))
  }
}
