import AudioModel
import ByteIO
import Foundation
import SoundServerSupport
import Testing

@testable import Desk

/// Listens on disk.
@Suite struct ListenJournalTests {
  private let folder: TemporaryFolder
  private var path: BytePath { BytePath(folder.path) }
  private var own: String { folder("\(getpid()).jsonl") }

  init() throws { folder = try TemporaryFolder() }

  private func listen(_ number: Int64) throws -> ListenText {
    var tags = TrackTags()
    (tags.title, tags.artist) = ("T", "A")
    return try #require(ListenText(tags, beganAt: number, duration: nil))
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  private func kept() -> [ListenText?] { contents(of: own).split(separator: 0x0a).map { ListenText(line: $0) } }

  /// The listens of the next player: their numbers, those that were sent first.
  private func restored() throws -> (all: [ListenText], sentCount: Int) {
    let journal = try ListenJournal(folder: path)
    try journal.adopt()
    return (journal.listens, journal.sentCount)
  }

  @Test func `listens are on the disk until they are removed, and an empty file goes`() throws {
    do {
      let journal = try ListenJournal(folder: path)
      for number in 1...3 { try journal.append(listen(Int64(number))) }
      try journal.removeFirst(1)
      #expect(try kept() == [listen(2), listen(3)])
      try journal.append(listen(4))
      try journal.removeFirst(2)
      #expect(try kept() == [listen(4)])
      try journal.removeFirst(5)
      #expect(kept().isEmpty)
    }
    #expect(try names() == [])
  }

  @Test func `a listen that is kept stays before the newer ones`() throws {
    let journal = try ListenJournal(folder: path)
    for number in 1...4 { try journal.append(listen(Int64(number))) }
    try journal.removeFirst(3, keeping: [0, 2])
    #expect(try kept() == [listen(1), listen(3), listen(4)])
  }

  @Test func `the listens of a player that was killed are taken over, except half a line`() throws {
    try write([], to: folder("x"))
    let lines = try [listen(1).json, listen(2).json, "{\"listened_at\":3,\"track_me"].joined(separator: "\n")
    try write(Array(lines.utf8), to: folder("999999.jsonl"))
    let journal = try ListenJournal(folder: path)
    try journal.adopt()
    #expect(try journal.listens == [listen(1), listen(2)])
    #expect(try names() == ["\(getpid()).jsonl", "x"])
    try journal.removeFirst(1)
    #expect(try kept() == [listen(2)])
  }

  @Test func `what was sent without an answer is known after a kill, until it is removed`() throws {
    do {
      let journal = try ListenJournal(folder: path)
      for number in 1...3 { try journal.append(listen(Int64(number))) }
      try journal.noteSending(2)
      try journal.append(listen(4))
      // As it is on the disk at this moment.
      try write(contents(of: own), to: folder("999999.jsonl"))
      try journal.removeFirst(1)
      try journal.noteSending(1)
      #expect(journal.sentCount == 1)
      try write(contents(of: own), to: folder("999998.jsonl"))
      try journal.removeFirst(3)
    }
    let (all, sentCount) = try restored()
    #expect(sentCount == 3)
    #expect(try Set(all.prefix(3)) == [listen(1), listen(2)] && all.count == 7)
    #expect(try Set(all.dropFirst(3)) == [listen(3), listen(4)])
    let again = try restored()
    #expect(again.all == all && again.sentCount == sentCount, "it is in one file now")
  }

  @Test(arguments: ["sent 99", "sent -1", "sent x", "sent", "sent 99999999999999999999"])
  func `a damaged note of what was sent does no harm`(line: String) throws {
    try write(Array("\(listen(1).json)\n\(line)\n".utf8), to: folder("999999.jsonl"))
    let (all, sentCount) = try restored()
    #expect(try all == [listen(1)] && sentCount == (line == "sent 99" ? 1 : 0))
  }

  @Test func `the file of a running player is left alone`() throws {
    try write([], to: folder("x"))
    let other = folder("999999.jsonl")
    try write(Array("\(listen(1).json)\n".utf8), to: other)
    let descriptor = open(other, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let journal = try ListenJournal(folder: path)
    try journal.adopt()
    #expect(journal.listens == [])
    #expect(contents(of: other).count > 10)
  }

  @Test func `half a line of an earlier process of the same number does not damage the next listen`() throws {
    try write(Array("\(listen(1).json)\n{\"listened_at\":2,\"tr".utf8), to: own)
    let journal = try ListenJournal(folder: path)
    try journal.adopt()
    try journal.append(listen(3))
    #expect(try kept() == [listen(1), listen(3)])
  }

  @Test func `a listen that could not be written counts, and is written with the next change`() throws {
    let journal = try ListenJournal(folder: path)
    try journal.append(listen(1))
    try journal.adopt()
    // The place of the new file is taken.
    try #require(mkdir(own + "~", 0o700) == 0)
    #expect(throws: ByteIOError.self) { try journal.append(listen(2)) }
    #expect(try journal.listens == [listen(1), listen(2)])
    #expect(try kept() == [listen(1)])
    try #require(rmdir(own + "~") == 0)
    try journal.append(listen(3))
    #expect(try kept() == [listen(1), listen(2), listen(3)])
    try journal.removeFirst(1)
    #expect(try kept() == [listen(2), listen(3)])
  }

  @Test func `listens that could not be taken over stay where they are`() throws {
    let other = folder("999999.jsonl")
    try write(Array("\(listen(1).json)\n".utf8), to: other)
    // The place of the new file is taken.
    try #require(mkdir(own + "~", 0o700) == 0)
    let journal = try ListenJournal(folder: path)
    #expect(throws: ByteIOError.self) { try journal.adopt() }
    #expect(journal.listens == [])
    try #require(rmdir(own + "~") == 0)
    try journal.adopt()
    #expect(try journal.listens == [listen(1)])
    #expect(try names() == ["\(getpid()).jsonl"])
  }
}
