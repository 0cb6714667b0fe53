import ByteIO
import Database
import SoundServerSupport
import Testing

@testable import Library

@Suite struct ForeignLibraryTests {
  private let rhythmdb = """
    <?xml version="1.0" standalone="yes"?>
    <rhythmdb version="2.0">
      <entry type="song">
        <title>Tom &amp; Jerry</title><artist>Bj\u{f6}rk</artist><album>Homogenic</album>
        <location>file:///m/a%20b%26c%FF.mp3</location><first-seen>1600000000</first-seen>
        <play-count>3</play-count><last-played>1700000000</last-played><rating>4</rating>
      </entry>
      <entry type="song"><location>file:///m/never.mp3</location><rating>0</rating></entry>
      <entry type="song"><location>file:///m/half.mp3</location><rating>3.5</rating></entry>
      <entry type="song"><location>file:///m/odd.mp3</location><rating>77</rating><play-count>-4</play-count></entry>
      <entry type="song"><location>smb://host/m/c.mp3</location><rating>5</rating></entry>
      <entry type="iradio"><location>http://radio/</location><rating>5</rating></entry>
      <entry type="song"><location>file:///m/many.mp3</location><play-count>99999999999999999999</play-count>
        <rating>5</rating></entry>
    </rhythmdb>
    """

  @Test func `Rhythmbox's ratings and counts are read`() throws {
    #expect(ForeignLibrary(firstBytes: rhythmdb.utf8) == .rhythmbox)
    let records = ListenerRecord.rhythmbox(Array(rhythmdb.utf8), now: 5)
    let first = try #require(records.first)
    #expect(first.path == BytePath(Array("/m/a b&c".utf8) + [0xff] + Array(".mp3".utf8)))
    #expect(first.title == "Tom & Jerry" && first.artist == "Bj\u{f6}rk" && first.album == "Homogenic")
    #expect(first.added == 1_600_000_000 && first.plays == 3 && first.last == 1_700_000_000 && first.rating == 8)
    #expect(
      records.dropFirst().map { "\($0.path) \($0.rating ?? -1) \($0.plays) \($0.added)" } == [
        "/m/half.mp3 7 0 5", "/m/many.mp3 10 0 5",
      ])
  }

  @Test func `a cut or changed document is read as far as it goes`() {
    let bytes = Array(rhythmdb.utf8)
    for count in bytes.indices { _ = ListenerRecord.rhythmbox(Array(bytes[..<count]), now: 0) }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x15
      #expect(ListenerRecord.rhythmbox(changed, now: 0).count <= 7)
    }
  }

  @Test func `MPD's stickers are read`() throws {
    let folder = TemporaryFolder()
    let file = folder["sticker.sql"]
    do {
      let schema = DatabaseSchema(
        applicationID: 0,
        migrations: [
          """
          CREATE TABLE sticker(type VARCHAR NOT NULL, uri VARCHAR NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL);
          INSERT INTO sticker VALUES ('song','a/1.mp3','rating','7'), ('song','a/1.mp3','playCount','12'),
            ('song','a/1.mp3','lastPlayed','1700000000'), ('song','a/1.mp3','elapsed','61.5'), ('song','b.mp3','like','2'),
            ('song','b.mp3','skipCount','2'), ('song','b.mp3','mood','calm'), ('playlist','b.m3u','rating','9'),
            ('song','c.mp3','rating','eleven'), ('song','d.mp3','rating','11'), ('song','e.mp3','playcount','1e300');
          """
        ])
      _ = try Database(path: file, schema: schema)
    }
    #expect(ForeignLibrary(firstBytes: try wholeFile(file, byteLimit: 1024)) == .stickers)
    var (first, second) = (
      ListenerRecord(path: BytePath("/music/a/1.mp3"), added: 5),
      ListenerRecord(path: BytePath("/music/b.mp3"), added: 5)
    )
    (first.rating, first.plays, first.last, first.resume) = (7, 12, 1_700_000_000, 61.5)
    (second.love, second.skips) = (true, 2)
    #expect(try ListenerRecord.stickers(file, music: BytePath("/music"), now: 5) == [first, second])
    try write("SQLite format 3\0".utf8, to: file.description)
    #expect(throws: DatabaseError.self) { try ListenerRecord.stickers(file, music: BytePath("/music"), now: 5) }
    let missing = folder["none"]
    #expect(throws: DatabaseError.self) { try ListenerRecord.stickers(missing, music: BytePath("/music"), now: 5) }
  }

  /// A cache with an entry for each of these.
  private func cache(_ entries: [(plays: Int32, texts: [String])]) -> [UInt8] {
    var bytes = Array("CTC".utf8) + [0x0d, 0, 0, 0, 1]
    func number(_ value: Int32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    for entry in entries {
      var texts: [UInt8] = []
      for text in entry.texts { texts += Array(text.utf8) + [0] }
      let size = 80 + texts.count
      bytes += number(Int32(size)) + number(entry.plays) + [UInt8](repeating: 0xff, count: 72) + texts
      bytes += [UInt8](repeating: 0, count: (8 - size % 8) % 8)
    }
    return bytes
  }

  @Test func `the plays of cmus are read, and a damaged cache as far as it goes`() throws {
    let bytes = cache([
      (3, ["/m/a ü.mp3", "mp3", "CBR", "artist", "Bach", "title", "Aria"]), (0, ["/m/never.mp3", "mp3", ""]),
      (-7, ["/m/odd.mp3", "mp3", ""]), (1, ["cue:///m/b.cue/1", "mp3", ""]),
      (2, ["/m/c.mp3", "mp3", "", "album", "A"]),
    ])
    #expect(ForeignLibrary(firstBytes: bytes) == .cmus)
    let records = ListenerRecord.cmus(bytes, now: 5)
    #expect(records.map { "\($0.path) \($0.plays) \($0.added)" } == ["/m/a ü.mp3 3 5", "/m/c.mp3 2 5"])
    #expect(
      records.first.map { [$0.title, $0.artist, $0.album] } == ["Aria", "Bach", nil] && records.last?.album == "A")
    // An entry of many texts would take memory for each.
    let long = cache([(1, ["/m/long.mp3"] + [String](repeating: "", count: 1 << 16)), (1, ["/m/behind.mp3"])])
    #expect(ListenerRecord.cmus(long, now: 0).isEmpty)
    for count in bytes.indices { #expect(ListenerRecord.cmus(Array(bytes[..<count]), now: 0).count <= 2) }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0xff
      #expect(ListenerRecord.cmus(changed, now: 0).count <= 4)
    }
  }

  @Test(arguments: ["", "{\"path\":\"/a\"}", "<?xml version=\"1.0\"?><playlist>", "SQLite format 2"])
  func `other files are of no player`(text: String) { #expect(ForeignLibrary(firstBytes: text.utf8) == nil) }
}
