import ByteIO
import Commands
import Playback
import SoundServerSupport
import Testing

@testable import Desk

@Suite struct CoverWorkTests {
  @Test func `a cover that cannot be decoded has its reason, and a folder without one has none`() throws {
    let folder = try TemporaryFolder()
    let wave: [UInt8] =
      Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
      + [0x44, 0xAC, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0] + Array("data".utf8) + [0, 0, 0, 0]
    try write(wave, to: folder("song.wav"))
    let entry = QueueEntry(id: 1, location: .file(BytePath(folder("song.wav"))))
    var work = CoverWork()
    #expect(work.cover(of: entry) == .cover(nil, entryID: 1), "no cover, no reason")
    try write([0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0], to: folder("cover.jpg"))
    guard case .cover(nil, nil, let failure?, 1) = work.cover(of: entry) else {
      Issue.record("no reason: \(work.cover(of: entry))")
      return
    }
    #expect(failure.hasPrefix("this JPEG picture is damaged"))
  }
}
