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
    #expect(ForeignLibrary(firstBytes: try wholeFile(file, byteLimit: 1024)) == .database)
    #expect(try ForeignLibrary.songDatabase(file, now: 5) == nil)
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

  /// A database with the tables that Strawberry and Clementine have, as far as they are read.
  private func songDatabase(_ file: BytePath, place: String, song: String, isCombined: Bool) throws {
    let itemPlace = isCombined ? "" : "\(place) TEXT,"
    let itemColumns = isCombined ? "" : ", NULL"
    let schema = DatabaseSchema(
      applicationID: 0,
      migrations: [
        """
        CREATE TABLE songs (title TEXT, album TEXT, artist TEXT, \(place) TEXT NOT NULL, playcount INTEGER,
          skipcount INTEGER, lastplayed INTEGER, rating INTEGER DEFAULT -1, cue_path TEXT);
        INSERT INTO songs VALUES ('One', 'First', 'Ana', 'file:///m/a%20b.mp3', 3, 1, 1700000000, 0.7, ''),
          ('Two', 'First', 'Ana', 'file:///m/two.mp3', 0, 0, -1, -1, NULL),
          ('Part', 'Whole', 'Ana', 'file:///m/whole.flac', 9, 0, -1, 1, '/m/whole.cue'),
          ('Far', 'Cloud', 'Ana', 'qobuz:77', 5, 0, -1, -1, NULL),
          ('Odd', 'First', 'Ana', 'file:///m/odd.mp3', -4, 99999999999, -7, 55, NULL);
        CREATE TABLE playlists (name TEXT NOT NULL);
        INSERT INTO playlists VALUES ('Evening'), (''), ('Nothing');
        CREATE TABLE playlist_items (playlist INTEGER, \(song) INTEGER, \(itemPlace) url TEXT);
        INSERT INTO playlist_items VALUES (1, 2\(itemColumns), NULL), (1, 1\(itemColumns), ''),
          (1, -1\(itemColumns), 'http://radio.example/'), (2, 1\(itemColumns), NULL);
        """
      ])
    _ = try Database(path: file, schema: schema)
  }

  @Test(arguments: [("url", "collection_id", true), ("filename", "library_id", false)])
  func `ratings, counts and playlists of Strawberry and Clementine are read`(
    place: String, song: String, isCombined: Bool
  ) throws {
    let folder = TemporaryFolder()
    try songDatabase(folder["songs.db"], place: place, song: song, isCombined: isCombined)
    let contents = try #require(try ForeignLibrary.songDatabase(folder["songs.db"], now: 5))
    #expect(
      contents.records.map { "\($0.path) \($0.title ?? "") \($0.plays) \($0.skips) \($0.last ?? 0) \($0.rating ?? -1)" }
        == ["/m/a b.mp3 One 3 1 1700000000 7", "/m/odd.mp3 Odd 0 99999999999 0 -1"])
    let lists = contents.playlists.map { list in
      list.name + ": " + list.entries.map { String(decoding: $0.location, as: UTF8.self) }.joined(separator: " ")
    }
    #expect(lists == ["Evening: file:///m/two.mp3 file:///m/a%20b.mp3 http://radio.example/"])
  }

  private let iTunesXML = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>
      <key>Major Version</key><integer>1</integer>
      <key>Music Folder</key><string>file://localhost/C:/Users/ana/iTunes%20Media/</string>
      <key>Tracks</key><dict>
        <key>11</key><dict><key>Track ID</key><integer>11</integer><key>Name</key><string>R &amp; B</string>
          <key>Artist</key><string>Ana</string><key>Rating</key><integer>80</integer><key>Play Count</key>
          <integer>12</integer><key>Play Date UTC</key><date>2018-01-06T05:12:19Z</date><key>Skip Count</key>
          <integer>2</integer><key>Date Added</key><date>2009-03-27T15:37:39Z</date><key>Loved</key><true/>
          <key>Comments</key><string/>
          <key>Location</key><string>file://localhost/C:/Users/ana/iTunes%20Media/Music/Ana/One%20%C3%A9.m4a</string></dict>
        <key>12</key><dict><key>Track ID</key><integer>12</integer><key>Rating</key><integer>60</integer>
          <key>Rating Computed</key><true/><key>Location</key><string>file://localhost/C:/Other/b.mp3</string></dict>
        <key>13</key><dict><key>Track ID</key><integer>13</integer><key>Play Count</key><integer>4</integer>
          <key>Track Type</key><string>Remote</string></dict>
      </dict>
      <key>Playlists</key><array>
        <dict><key>Name</key><string>Library</string><key>Master</key><true/><key>Playlist Items</key><array>
          <dict><key>Track ID</key><integer>11</integer></dict></array></dict>
        <dict><key>Name</key><string>Night</string><key>Playlist Items</key><array>
          <dict><key>Track ID</key><integer>12</integer></dict><dict><key>Track ID</key><integer>11</integer></dict>
          <dict><key>Track ID</key><integer>99</integer></dict></array></dict>
      </array>
    </dict></plist>
    """

  @Test func `ratings, counts, dates and playlists of iTunes are read`() throws {
    #expect(ForeignLibrary(firstBytes: iTunesXML.utf8) == .iTunes)
    let library = ITunesLibrary(Array(iTunesXML.utf8))
    #expect(library.musicFolder == BytePath("/C:/Users/ana/iTunes Media/"))
    let contents = library.contents(music: BytePath("/music"), now: 5)
    var record = ListenerRecord(path: BytePath("/music/Music/Ana/One é.m4a"), added: 1_238_168_259)
    (record.title, record.artist) = ("R & B", "Ana")
    (record.plays, record.skips, record.last, record.rating, record.love) = (12, 2, 1_515_215_539, 8, true)
    #expect(contents.records == [record])
    let night = contents.playlists.map { ($0.name, $0.entries.map { String(decoding: $0.location, as: UTF8.self) }) }
    #expect(night.map(\.0) == ["Night"] && night.first?.1 == ["/C:/Other/b.mp3", "/music/Music/Ana/One é.m4a"])
    #expect(library.contents(music: nil, now: 5).records.first?.path.description.hasPrefix("/C:/Users/ana") == true)
  }

  @Test func `a cut or changed library of iTunes is read as far as it goes`() {
    let bytes = Array(iTunesXML.utf8)
    for count in bytes.indices { _ = ITunesLibrary(Array(bytes[..<count])).contents(music: nil, now: 0) }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x15
      #expect(ITunesLibrary(changed).contents(music: nil, now: 0).records.count <= 4)
    }
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

  @Test func `playlists of cmus are read, alone and beside its cache`() throws {
    let lines = "/m/a ü.mp3\n/m/100%.mp3\ncue:///m/b.cue/03\nhttp://radio/live\n\ncue:///m/c.cue/x\ncdda://1\n"
    #expect(ForeignLibrary(firstBytes: lines.utf8) == .cmusPlaylist)
    let list = PlaylistRecord.cmus(BytePath("/c/playlists/night"), Array(lines.utf8))
    #expect(list.name == "night" && list.query == nil)
    let places = list.entries.map { MediaLocation(written: $0.location, in: BytePath("/")) }
    #expect(
      places == [
        .file(BytePath("/m/a ü.mp3")), .file(BytePath("/m/100%.mp3")), .track(BytePath("/m/b.cue"), number: 3),
        .url("http://radio/live"),
      ])
    #expect(PlaylistRecord.cmus(BytePath("/c/queue.pl"), []).name == "cmus queue")

    let folder = TemporaryFolder()
    for (name, text) in [("b", lines), ("a", "/m/x.mp3\n"), ("empty", ""), ("other", "no path\n")] {
      folder.write(BytePath("playlists/\(name)"), text.utf8)
    }
    let bytes = cache([(1, ["/m/a ü.mp3", "mp3", ""])])
    let reading = try ForeignLibrary.cmus.read(folder["cache"], bytes, music: nil, now: 5)
    guard case .contents(let contents) = reading else {
      Issue.record("\(reading)")
      return
    }
    #expect(contents.records.count == 1 && contents.playlists.map(\.name) == ["a", "b"])
  }

  @Test(arguments: ["", "{\"path\":\"/a\"}", "<?xml version=\"1.0\"?><playlist>", "SQLite format 2"])
  func `other files are of no player`(text: String) { #expect(ForeignLibrary(firstBytes: text.utf8) == nil) }
}
