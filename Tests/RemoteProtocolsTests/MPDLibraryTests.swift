import ByteIO
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Library
@testable import RemoteProtocols

/// Questions of MPD clients to the music library. The answers are those of MPD 0.23.12 over the same songs.
struct MPDLibraryTests {
  private var connection = greetedMPDConnection()
  private let picture: PlayerSnapshot = {
    var picture = playingSnapshot()
    picture.library = LibrarySnapshot(music: BytePath("/music"), revision: 1, change: 0)
    return picture
  }()
  private let view: LibraryView
  /// By the number of the file: the catalogue.
  private let stored: [Int64: CatalogueTags]
  /// Of clients, by recordings.
  private let given = [
    Sticker(.recording(1), "mood", "happy"), Sticker(.recording(2), "mood", "12"), Sticker(.recording(3), "mood", "9"),
    Sticker(.named(type: "Album", "Record"), "mood", "calm"), Sticker(.named(type: "playlist", "mix"), "sort", "title"),
  ]

  private typealias Field = CatalogueTags.Field

  init() throws {
    let folder = try TemporaryFolder()
    var builder = IndexBuilder()
    let day: Int64 = 86_400
    var catalogue: [Int64: CatalogueTags] = [:]
    func add(
      _ path: String, _ tags: [(Field, String)], state: FileState = .here, facts: ListenerFacts = ListenerFacts()
    ) {
      var stored = CatalogueTags()
      for (field, value) in tags { stored.add(value, field) }
      let path = BytePath(path)
      let number = Int64(builder.trackCount + 1)
      let row = IndexBuilder.Row(
        file: number, recording: number, folder: path.parent.bytes, name: path.lastComponent.bytes, state: state,
        duration: 2.085, isEstimated: false, format: "", bitRate: 0, modified: number * day, facts: facts)
      stored.stored.withUnsafeBytes { builder.add(row, tags: $0) }
      catalogue[number] = stored
    }
    add(
      "/music/Album/01 One.mp3",
      [(.title, "One"), (.artist, "Band"), (.album, "Record"), (.track, "1"), (.date, "1999"), (.genres, "Rock")],
      facts: ListenerFacts(added: 10 * day, plays: 3, skips: 1, last: 1_700_000_000, rating: 7, love: true))
    add(
      "/music/Album/02 Two.mp3",
      [
        (.title, "Two"), (.artist, "Band"), (.albumArtist, "The Band"), (.album, "Record"), (.track, "2"),
        (.date, "1999-03-04"), (.disc, "1"), (.composers, "Writer"), (.artistSort, "Band, The"),
        (.recordingID, "5b11f4ce"), (.performers, "Anna (cello)"), (.performers, "Bert"), (.labels, "Motor"),
        (.albumArtistSort, "Davis, Miles"), (.albumArtistSort, "Coltrane, John"),
      ], facts: ListenerFacts(rating: 10))
    add(
      "/music/Album/10 Ten.mp3",
      [
        (.title, "Ten"), (.artist, "Guest, Band"), (.artists, "Guest"), (.artists, "Band"), (.album, "Record"),
        (.track, "10"),
      ])
    add("/music/Zed B/Inner/x.mp3", [(.title, "Ärger"), (.artist, "zulu"), (.album, "Äther")])
    add("/music/Zed B/y.mp3", [])
    add("/music/loose.mp3", [(.title, "Loose"), (.artist, "Alpha")])
    add("/music/gone.mp3", [(.title, "Gone"), (.artist, "Ghost")], state: .missing)
    stored = catalogue
    try write(builder.finish(change: 0).bytes, to: folder("catalogue.map"))
    view = LibraryView(try #require(LibraryIndex(folder: BytePath(folder("catalogue.map")).parent)))
  }

  /// The answer to a line, and the commands that it caused.
  private mutating func asked(_ line: String) -> (text: String, commands: [Command]) {
    var effects = connection.handle(.line(Array(line.utf8)), picture)
    var (text, commands): (String, [Command]) = ("", [])
    for _ in 0..<20 {
      text += sent(effects)
      commands += RemoteProtocolsTests.commands(effects)
      var event: RemoteEvent?
      for effect in effects {
        switch effect {
        case .perform: event = .answered(.done(nil))
        case .ask(.songs(let question)):
          let stored = stored
          event = .found(
            question.question.answer(
              view, tags: { stored[$0.file] ?? CatalogueTags() }, stickers: stickers, written: 5, now: 0))
        case .ask(.listing): event = .found(.items([]))
        case .ask(.playlists), .ask(.playlist): event = .found(.missing)
        case .ask: event = .found(.done)
        case .send, .close, .publish, .listen, .giveTags, .stream: break
        }
      }
      guard let event else { break }
      effects = connection.handle(event, picture)
    }
    return (text, commands)
  }

  private func stickers(_ query: StickerStore.Query) -> [Sticker] {
    given.filter { sticker in
      switch query {
      case .all: return true
      case .of(let owner): return sticker.owner == owner
      case .named(let name, let type):
        if case .named(let other, _) = sticker.owner { return sticker.name == name && type == other }
        return sticker.name == name && type == StickerStore.songType
      }
    }
  }

  private mutating func answer(_ line: String) -> String { asked(line).text }

  /// The names of songs in an answer.
  private mutating func names(_ line: String) -> [String] {
    answer(line).split(separator: "\n").filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) }
  }

  @Test mutating func `tags that the index lacks are in answers, found, listed and counted`() {
    let lines = answer("find title Two").split(separator: "\n")
    for line in [
      "ArtistSort: Band, The", "Performer: Anna (cello)", "Performer: Bert", "Label: Motor",
      "MUSICBRAINZ_TRACKID: 5b11f4ce",
    ] { #expect(lines.contains { $0 == line }, "\(line)") }
    for line in [
      "find performer Bert", "find \"(MUSICBRAINZ_TRACKID == '5b11f4ce')\"", "search any motor",
      "find artistsort \"Band, The\"", "find \"(albumartistsort == 'Coltrane, John')\"",
    ] { #expect(names(line) == ["Album/02 Two.mp3"], "\(line)") }
    // The artist stands in for the sort name of a song without one.
    #expect(
      answer("list artistsort album Record") == "ArtistSort: Band\nArtistSort: Band, The\nArtistSort: Guest\nOK\n")
    #expect(answer("list label") == "Label: \nLabel: Motor\nOK\n")
    #expect(answer("count label Motor group performer").hasPrefix("Performer: Anna (cello)\nsongs: 1\n"))
    _ = answer("tagtypes disable performer label")
    #expect(!answer("find title Two").contains("Performer") && answer("find title Two").contains("MUSICBRAINZ_TRACKID"))
  }

  @Test mutating func `accents are ignored where the client wants it`() {
    #expect(names("find title Arger") == [] && names("search album ath") == [])
    #expect(answer("stringnormalization available") == "stringnormalization: strip_diacritics\nOK\n")
    #expect(answer("stringnormalization") == "OK\n")
    #expect(answer("stringnormalization enable Strip_Diacritics") == "OK\n")
    #expect(answer("stringnormalization") == "stringnormalization: strip_diacritics\nOK\n")
    #expect(names("find title Arger") == ["Zed B/Inner/x.mp3"] && names("find title Ärger") == ["Zed B/Inner/x.mp3"])
    #expect(names("find title arger") == [], "case counts")
    #expect(names("search \"(album starts_with 'ath')\"") == ["Zed B/Inner/x.mp3"])
    #expect(answer("stringnormalization clear") == "OK\n" && names("find title Arger") == [])
    #expect(
      answer("stringnormalization enable x") == "ACK [2@0] {stringnormalization} Unknown string normalization\n")
  }

  @Test mutating func `lsinfo shows no playlists where the client wants none`() {
    #expect(answer("protocol") == "OK\n" && answer("protocol enable hide_playlists_in_root") == "OK\n")
    #expect(answer("protocol") == "feature: hide_playlists_in_root\nOK\n")
    #expect(names("lsinfo") == ["loose.mp3"])
    _ = connection.hear("lsinfo", picture)
    #expect(sent(connection.handle(.found(.text("")), picture)) == "OK\n", "playlists are not asked for")
    #expect(answer("protocol clear") == "OK\n" && answer("protocol") == "OK\n")
    #expect(answer("protocol enable") == "ACK [2@0] {protocol} Not enough arguments\n")
    #expect(answer("protocol enable x") == "ACK [2@0] {protocol} Unknown feature\n")
    #expect(answer("protocol all x") == "ACK [2@0] {protocol} Too many arguments\n")
  }

  @Test mutating func `folders have their songs first, by album, disc and number, then folders`() {
    #expect(
      answer("listall") == """
        file: loose.mp3
        directory: Album
        file: Album/01 One.mp3
        file: Album/10 Ten.mp3
        file: Album/02 Two.mp3
        directory: Zed B
        file: Zed B/y.mp3
        directory: Zed B/Inner
        file: Zed B/Inner/x.mp3
        OK

        """)
    #expect(names("lsinfo \"Zed B\"") == ["Zed B/y.mp3"])
    #expect(answer("lsinfo \"Zed B\"").contains("directory: Zed B/Inner\n"))
    #expect(
      answer("lsinfo \"Album/01 One.mp3\"") == """
        file: Album/01 One.mp3
        Last-Modified: 1970-01-02T00:00:00Z
        Added: 1970-01-11T00:00:00Z
        Artist: Band
        Title: One
        Album: Record
        Track: 1
        Date: 1999
        Genre: Rock
        Time: 2
        duration: 2.085
        OK

        """)
    #expect(answer("lsinfo nothing") == "ACK [50@0] {lsinfo} No such directory\n")
    #expect(answer("lsinfo gone.mp3") == "ACK [50@0] {lsinfo} No such directory\n")
    #expect(answer("lsinfo Albu") == "ACK [50@0] {lsinfo} No such directory\n")
    #expect(answer("listall ../x") == "ACK [50@0] {listall} No such directory\n")
  }

  @Test(arguments: [
    ("list album", "Album: \nAlbum: Record\nAlbum: Äther\n"),
    ("list Artist", "Artist: \nArtist: Alpha\nArtist: Band\nArtist: Guest\nArtist: zulu\n"),
    (
      "list album group albumartist",
      """
      AlbumArtist: \nAlbum: \nAlbumArtist: Alpha\nAlbum: \nAlbumArtist: Band\nAlbum: Record\nAlbumArtist: Guest\nAlbum: Record
      AlbumArtist: The Band\nAlbum: Record\nAlbumArtist: zulu\nAlbum: Äther\n
      """
    ), ("list title artist Band", "Title: One\nTitle: Ten\nTitle: Two\n"), ("list album Band", "Album: Record\n"),
    ("list title \"(artist == 'Band')\" window 1:2", "Title: Ten\n"), ("list album nobody", ""),
    (
      "list album \"(artist == 'Band')\" group artist group date",
      "Date: \nArtist: Band\nAlbum: Record\nArtist: Guest\nAlbum: Record\nDate: 1999\nArtist: Band\nAlbum: Record\n"
        + "Date: 1999-03-04\nArtist: Band\nAlbum: Record\n"
    ), ("count artist Band", "songs: 3\nplaytime: 6\n"),
    ("count artist Band group album", "Album: Record\nsongs: 3\nplaytime: 6\n"),
    ("count \"(title == 'x')\"", "songs: 0\nplaytime: 0\n"), ("searchcount title o", "songs: 3\nplaytime: 6\n"),
  ])
  mutating func `values and numbers are those of all songs`(line: String, answer: String) {
    #expect(self.answer(line) == answer + "OK\n")
  }

  @Test(arguments: [
    "list album group artist group artist", "list album group album", "count artist Band group date group Date",
  ])
  mutating func `a group is named once`(line: String) {
    let command = line.prefix { $0 != " " }
    #expect(answer(line) == "ACK [2@0] {\(command)} Conflicting group\n")
  }

  @Test(arguments: [
    ("find artist Band sort -Track", ["Album/10 Ten.mp3", "Album/02 Two.mp3", "Album/01 One.mp3"]),
    ("search any band sort title", ["Album/01 One.mp3", "Album/10 Ten.mp3", "Album/02 Two.mp3"]),
    ("search any band sort title window 1:2", ["Album/10 Ten.mp3"]),
    ("find \"(base 'Zed B')\" sort Last-Modified", ["Zed B/Inner/x.mp3", "Zed B/y.mp3"]),
    ("find \"((artist == 'Band') AND (!(title == 'One')))\" sort title", ["Album/10 Ten.mp3", "Album/02 Two.mp3"]),
    ("find \"(modified-since '1970-01-05')\" sort title", ["Zed B/y.mp3", "Zed B/Inner/x.mp3", "loose.mp3"].sorted()),
    ("find \"(added-since '1970-01-11')\"", ["Album/01 One.mp3"]), ("find file loose.mp3", ["loose.mp3"]),
    ("search title ÄRG", ["Zed B/Inner/x.mp3"]), ("find title one", []), ("find artist Ghost", []),
  ])
  mutating func `searches find songs, in order, and a part of them`(line: String, names: [String]) {
    let found = self.names(line)
    #expect(line.contains("1970-01-05") ? found.sorted() == names : found == names)
  }

  @Test mutating func `found songs are added to the queue and to playlists`() {
    let songs = ["Album/01 One.mp3", "Album/02 Two.mp3"].map { MediaLocation.file(BytePath("/music/\($0)")) }
    #expect(asked("findadd date 1999 ").commands == [.edit(.add([songs[0]], .end))])
    #expect(asked("searchadd date 1999 sort title position 0").commands.first == .edit(.add(songs, .end)))
    #expect(asked("findadd title nothing") == ("OK\n", []))
    _ = connection.handle(.line(Array("searchaddpl mix date 1999 sort title".utf8)), picture)
    _ = connection.handle(.found(.locations(songs)), picture)
    let effects = connection.handle(.found(.missing), picture)
    #expect(
      commands(effects) == [.library(.playlist(.edit(.create("mix", songs.map { CollectedEntry(location: $0) }))))])
  }

  @Test mutating func `the statistics are those of the library`() {
    #expect(
      answer("stats") == """
        uptime: 0
        playtime: 0
        artists: 4
        albums: 3
        songs: 6
        db_playtime: 12
        db_update: 5
        OK

        """)
  }

  @Test mutating func `an update is a scan, with the number that the status shows`() {
    let update = asked("update Album")
    #expect(update.commands == [.library(.scan)] && update.text == "updating_db: 1\nOK\n")
    var scanning = picture
    scanning.scan = (1, true)
    #expect(sent(connection.handle(.line(Array("status".utf8)), scanning)).contains("\nupdating_db: 1\n"))
    #expect(!answer("status").contains("updating_db"))
    _ = connection.handle(.changed([.scan, .library]), picture)
    #expect(answer("idle") == "changed: database\nchanged: update\nOK\n")
    #expect(answer("update ../x") == "ACK [2@0] {update} Malformed path\n")
  }

  @Test func `several folders have a common one`() {
    let paths = ["/home/me/Music", "/home/me/Musical", "/home/me/old"].map { BytePath($0) }
    #expect(LibrarySnapshot.commonFolder(of: Array(paths.prefix(1))) == paths[0])
    #expect(LibrarySnapshot.commonFolder(of: paths) == BytePath("/home/me"))
    #expect(LibrarySnapshot.commonFolder(of: [BytePath("/a"), BytePath("/b/c")]) == BytePath("/"))
    #expect(LibrarySnapshot.commonFolder(of: []) == nil)
  }

  // MARK: Stickers

  @Test(arguments: [
    ("sticker get song \"Album/01 One.mp3\" rating", "sticker: rating=7\nOK\n"),
    (
      "sticker list song \"Album/01 One.mp3\"",
      "sticker: lastPlayed=1700000000\nsticker: like=2\nsticker: mood=happy\nsticker: playCount=3\nsticker: rating=7\nsticker: skipCount=1\nOK\n"
    ), ("sticker list song loose.mp3", "OK\n"),
    ("sticker get song loose.mp3 rating", "ACK [50@0] {sticker} no such sticker\n"),
    ("sticker get song nothing rating", "ACK [50@0] {sticker} No such song\n"),
    ("sticker get album nothing rating", "ACK [50@0] {sticker} no such sticker\n"),
    ("sticker foo song loose.mp3 rating", "ACK [2@0] {sticker} bad request\n"),
    ("sticker get", "ACK [2@0] {sticker} too few arguments for \"sticker\"\n"),
    ("sticker find song \"\" rating like 6", "ACK [2@0] {sticker} bad operator\n"),
    (
      "sticker find song \"\" rating sort -value",
      "file: Album/02 Two.mp3\nsticker: rating=10\nfile: Album/01 One.mp3\nsticker: rating=7\nOK\n"
    ), ("sticker find song Album rating > 7", "file: Album/02 Two.mp3\nsticker: rating=10\nOK\n"),
    ("sticker find song \"Zed B\" rating", "OK\n"),
    ("sticker set song loose.mp3 rating 11", "ACK [2@0] {sticker} rating is a number from 0 to 10\n"),
    ("sticker set song loose.mp3 like 0", "ACK [2@0] {sticker} like is 2 (loved) or 1 (neutral); 0 is not kept here\n"),
    (
      "sticker set song loose.mp3 playCount 3",
      "ACK [2@0] {sticker} playCount cannot be changed: plays and skips are counted here\n"
    ),
    ("sticker get song \"Album/01 One.mp3\" mood", "sticker: mood=happy\nOK\n"),
    ("sticker get song loose.mp3 mood", "ACK [50@0] {sticker} no such sticker\n"),
    ("sticker get album Record mood", "sticker: mood=calm\nOK\n"), ("sticker list album Other", "OK\n"),
    (
      "sticker find song \"\" mood sort value",
      "file: Album/10 Ten.mp3\nsticker: mood=9\nfile: Album/02 Two.mp3\nsticker: mood=12\n"
        + "file: Album/01 One.mp3\nsticker: mood=happy\nOK\n"
    ), ("sticker find song \"\" mood gt 9", "file: Album/02 Two.mp3\nsticker: mood=12\nOK\n"),
    ("sticker find song \"\" mood starts_with hap", "file: Album/01 One.mp3\nsticker: mood=happy\nOK\n"),
    ("sticker find song \"\" mood sort -uri window 0:1", "file: Album/10 Ten.mp3\nsticker: mood=9\nOK\n"),
    ("sticker find album \"\" mood", "Album: Record\nsticker: mood=calm\nOK\n"),
    ("sticker find playlist mi sort = title", "playlist: mix\nsticker: sort=title\nOK\n"),
    ("sticker inc song \"Album/01 One.mp3\" mood x", "ACK [2@0] {sticker} Integer expected: x\n"),
    ("sticker inc song loose.mp3 like 1", "ACK [2@0] {sticker} like cannot be changed by a number\n"),
    ("sticker set album Nothing mood x", "ACK [50@0] {sticker} No such Album\n"),
    ("sticker set playlist none mood x", "ACK [50@0] {sticker} No such playlist\n"),
    ("sticker set filter \"(title\" mood x", "ACK [2@0] {sticker} '==' or '!=' expected\n"),
    ("sticker set mood x y z", "ACK [2@0] {sticker} unknown sticker domain\n"),
    (
      "stickernames",
      ["lastPlayed", "like", "mood", "playCount", "rating", "skipCount", "sort"].map { "name: \($0)\n" }.joined()
        + "OK\n"
    ), ("stickernamestypes album", "name: mood\ntype: Album\nOK\n"),
    ("sticker delete song loose.mp3 rating", "ACK [50@0] {sticker} no such sticker\n"),
    ("sticker delete song loose.mp3", "ACK [50@0] {sticker} no such sticker\n"),
  ])
  mutating func `stickers are the facts of the listener`(line: String, answer: String) {
    #expect(self.answer(line) == answer)
  }

  @Test(arguments: [
    ("sticker set song loose.mp3 rating 8", "/music/loose.mp3", [RatingChange.set(8)]),
    ("sticker set song loose.mp3 like 2", "/music/loose.mp3", [.love(true)]),
    ("sticker set song loose.mp3 like 1", "/music/loose.mp3", [.love(false)]),
    ("sticker dec song loose.mp3 rating 2", "/music/loose.mp3", [.by(-2)]),
    ("sticker delete song \"Album/01 One.mp3\" rating", "/music/Album/01 One.mp3", [.set(nil)]),
    ("sticker delete song \"Album/02 Two.mp3\" rating", "/music/Album/02 Two.mp3", [.set(nil)]),
  ])
  mutating func `stickers are changed by the commands of the player`(
    line: String, path: String, changes: [RatingChange]
  ) {
    let asked = asked(line)
    #expect(asked.commands == changes.map { .library(.rate($0, [BytePath(path)])) } && asked.text == "OK\n")
    _ = connection.handle(.changed([.ratings]), picture)
    #expect(answer("idle sticker") == "changed: sticker\nOK\n")
  }

  @Test mutating func `other stickers are kept by the library`() {
    let (one, loose) = (BytePath("/music/Album/01 One.mp3"), BytePath("/music/loose.mp3"))
    typealias Row = (line: String, commands: [LibraryRequest])
    let rows: [Row] = [
      ("sticker set song loose.mp3 mood happy", [.sticker(.song(loose), name: "mood", .set("happy"))]),
      ("sticker inc song loose.mp3 n 3", [.sticker(.song(loose), name: "n", .add(3, otherwise: "3"))]),
      ("sticker dec song loose.mp3 n 3", [.sticker(.song(loose), name: "n", .add(-3, otherwise: "3"))]),
      (
        "sticker set ALBUM Record mood x", [.sticker(.named(type: "Album", "Record"), name: "mood", .set("x"))]
      ),
      (
        "sticker set filter \"(title == 'x')\" mood x",
        [.sticker(.named(type: "filter", "(title == 'x')"), name: "mood", .set("x"))]
      ),
      ("sticker delete song \"Album/01 One.mp3\" mood", [.sticker(.song(one), name: "mood", .remove)]),
      (
        "sticker delete song \"Album/01 One.mp3\"",
        [.rate(.set(nil), [one]), .rate(.love(false), [one]), .sticker(.song(one), name: nil, .remove)]
      ), ("sticker delete album Record", [.sticker(.named(type: "Album", "Record"), name: nil, .remove)]),
    ]
    #expect(answer("stickertypes").hasPrefix("stickertype: filter\nstickertype: playlist\nstickertype: song\n"))
    for row in rows {
      let asked = asked(row.line)
      #expect(asked.commands == row.commands.map { .library($0) } && asked.text == "OK\n", "\(row.line): \(asked.text)")
    }
  }

  @Test mutating func `songs are found by regular expressions, and a costly one is a failure`() {
    #expect(names("find \"(title =~ '^T(wo|en)$')\" sort title") == ["Album/10 Ten.mp3", "Album/02 Two.mp3"])
    #expect(names("search \"(title =~ '^t')\" sort title") == ["Album/10 Ten.mp3", "Album/02 Two.mp3"])
    #expect(answer("count \"(title !~ 'e')\"") == "songs: 2\nplaytime: 4\nOK\n")
    #expect(answer("list title \"(title =~ 'rg')\"") == "Title: Ärger\nOK\n")
    #expect(names("find \"(title =~ '^.rger')\"") == ["Zed B/Inner/x.mp3"], "a dot is a character")
    for line in ["find", "count", "list title", "findadd"] {
      let answer = answer("\(line) \"(any =~ '(*LIMIT_MATCH=3)(a|n)*d')\"")
      #expect(answer == "ACK [52@0] {\(line.prefix { $0 != " " })} Regular expression: match limit exceeded\n")
    }
  }
}
