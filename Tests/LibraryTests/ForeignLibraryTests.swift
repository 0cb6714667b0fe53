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

  @Test(arguments: ["", "{\"path\":\"/a\"}", "<?xml version=\"1.0\"?><playlist>", "SQLite format 2"])
  func `other files are of no player`(text: String) { #expect(ForeignLibrary(firstBytes: text.utf8) == nil) }
}
