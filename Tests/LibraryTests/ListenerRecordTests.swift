import ByteIO
import Database
import SoundServerSupport
import Testing

@testable import Library

/// The listener's data on the way to another library. Several tracks may have one sound.
@Suite struct ListenerRecordTests {
  private let made = MadeCollection()

  private func records(of library: MusicLibrary) throws -> [ListenerRecord] {
    var records: [ListenerRecord] = []
    try ListenerRecord.forEach(of: library) { records.append($0) }
    return records
  }

  private func play(_ name: String, times: Int, _ library: MusicLibrary) throws {
    let path = made.music.appending(BytePath(name))
    for _ in 0..<times {
      try library.recordPlay(of: path, heard: 200, duration: 260, isSkip: false, at: 1_700_000_000)
    }
  }

  @Test(arguments: [false, true]) func `tracks with one sound keep their own ratings and plays in another library`(
    isScannedBefore: Bool
  ) throws {
    let (album, hits) = ([("TIT2", "Song"), ("TALB", "Album")], [("TIT2", "Song"), ("TALB", "Hits")])
    made.add("album/song.mp3", sound: 1, album)
    made.add("hits/05.mp3", sound: 1, hits)
    // The same bytes.
    made.add("a.mp3", sound: 2)
    made.add("copy.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    for (number, name) in ["song.mp3", "05.mp3", "a.mp3", "copy.mp3"].enumerated() {
      try library.rate(name, number + 1)
    }
    try play("copy.mp3", times: 2, library)

    made.folder.write(BytePath("there/x.mp3"), madeMP3(sound: 1, hits))
    made.folder.write(BytePath("there/y.mp3"), madeMP3(sound: 1, album))
    made.folder.write(BytePath("there/deep/a.mp3"), madeMP3(sound: 2))
    made.folder.write(BytePath("there/deep/copy.mp3"), madeMP3(sound: 2))
    let (other, records) = (try MusicLibrary(folder: made.folder["other"]), try records(of: library))
    try other.addRoot(made.folder["there"])
    if isScannedBefore { try made.scan(other) }
    #expect(try ListenerRecord.add(records, to: other) == (isScannedBefore ? 4 : 0))
    try made.scan(other)
    #expect(try ListenerRecord.add(records, to: other) == 4)
    #expect(try other.shown() == ["a.mp3 3 here", "copy.mp3 4 here", "x.mp3 2 here", "y.mp3 1 here"])
    let plays = try ["a.mp3", "copy.mp3", "x.mp3", "y.mp3"].map { try other.track($0).plays }
    #expect(plays == [0, 2, 0, 0])
  }

  @Test func `a track whose file is not there waits, and leaves the other copy alone`() throws {
    made.add("a.mp3", sound: 1)
    made.add("copy.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try play("a.mp3", times: 5, library)
    try play("copy.mp3", times: 2, library)
    let other = try MusicLibrary(folder: made.folder["other"])
    made.folder.write(BytePath("there/copy.mp3"), madeMP3(sound: 1))
    try other.addRoot(made.folder["there"])
    try made.scan(other)
    #expect(try ListenerRecord.add(records(of: library), to: other) == 1)
    #expect(try other.track("copy.mp3").plays == 2)
    made.folder.write(BytePath("there/a.mp3"), madeMP3(sound: 1))
    try made.scan(other)
    #expect(try other.track("a.mp3").plays == 5 && other.track("copy.mp3").plays == 2)
  }

  @Test func `counts beyond all measure are limited, and a play still counts`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    var record = try #require(try records(of: library).first)
    (record.plays, record.skips) = (.max, .min)
    #expect(try ListenerRecord.add([record], to: library) == 1)
    try play("a.mp3", times: 1, library)
    #expect(try library.track("a.mp3").plays == Int(UInt32.max))
    // Of an earlier import.
    try library.listener.execute("UPDATE recording SET plays=9223372036854775807")
    #expect(try library.track("a.mp3").plays == Int(UInt32.max))
  }

  @Test func `tracks that had one place after the other keep their own ratings`() throws {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 3)
    try library.rate("b.mp3", 8)
    made.remove("b.mp3")
    made.move("a.mp3", to: "b.mp3")
    try made.scan(library)
    let other = try MusicLibrary(folder: made.folder["other"])
    #expect(try ListenerRecord.add(records(of: library), to: other) == 0)
    made.add("later.mp3", sound: 2)
    try other.addRoot(made.music)
    try made.scan(other)
    #expect(try other.shown() == ["b.mp3 3 here", "later.mp3 8 here"])
  }

  @Test func `a track that is named several times, also without its sound, is one`() throws {
    var (full, bare) = (
      ListenerRecord(path: BytePath("/m/a.mp3"), added: 5), ListenerRecord(path: BytePath("/m/a.mp3"), added: 9)
    )
    (full.key, full.plays, bare.rating) = (String(repeating: "0a", count: 16), 3, 7)
    let library = try MusicLibrary(folder: made.data)
    #expect(try ListenerRecord.add([bare, full, full], to: library) == 2)
    (full.rating, full.love) = (7, false)
    #expect(try records(of: library) == [full])
  }

  @Test func `a long import lets others write, and continues after a failure`() throws {
    let records = (0...ListenerRecord.batchCount).map {
      ListenerRecord(path: BytePath("/m/\($0).mp3"), added: 5)
    }
    let library = try MusicLibrary(folder: made.data)
    let last = records.count - 1
    try library.listener.execute(
      """
      CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.recording WHEN CAST(NEW.path AS TEXT)='/m/\(last).mp3'
      BEGIN SELECT RAISE(ABORT, 'refused'); END
      """)
    #expect(throws: DatabaseError.self) { try ListenerRecord.add(records, to: library) }
    try library.listener.execute("DROP TRIGGER refuse")
    #expect(try ListenerRecord.add(records, to: library) == last)
    #expect(try self.records(of: library) == records)
  }
}
