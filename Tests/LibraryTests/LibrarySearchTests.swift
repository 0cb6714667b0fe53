import ByteIO
import Testing

@testable import Library

@Suite struct LibrarySearchTests {
  private static let now: Int64 = 1_750_000_000

  private struct Song {
    var title: String
    var artist: String
    var album: String?
    var folder = "/m"
    var albumArtist: String?
    var year: String?
    var genre: String?
    var composers: [String] = []
    var facts = ListenerFacts(added: 1_740_000_000)
    var seconds = 200.0
  }

  private static func view(_ songs: [Song]) throws -> LibraryView {
    var builder = IndexBuilder()
    for (number, song) in songs.enumerated() {
      var tags = CatalogueTags()
      tags.add(song.title, .title)
      tags.add(song.artist, .artist)
      tags.add(song.album, .album)
      tags.add(song.albumArtist, .albumArtist)
      tags.add(song.year, .date)
      tags.add(song.genre, .genres)
      for composer in song.composers { tags.add(composer, .composers) }
      let row = IndexBuilder.Row(
        file: Int64(number + 1), recording: Int64(number + 1), folder: Array(song.folder.utf8),
        name: Array("\(number).mp3".utf8), state: .here, duration: song.seconds, isEstimated: false, format: ".mp3",
        bitRate: 128_000, facts: song.facts)
      tags.stored.withUnsafeBytes { builder.add(row, tags: $0) }
    }
    let folder = TemporaryFolder()
    folder.write(BytePath("catalogue.map"), builder.finish(change: 0).bytes)
    return LibraryView(try #require(LibraryIndex(folder: folder.path)))
  }

  private static func titles(_ view: LibraryView, _ text: String) throws -> [String] {
    let query = try LibraryQuery(text, now: now)
    return LibrarySearch(view).tracks(query).map { view.track($0).title }
  }

  @Test(
    arguments: [
      ("gen", 0, ["genre:"]), ("bach -ar", 6, ["artist:"]), ("(al", 1, ["album:", "albumartist:"]),
      ("x y", 2, ["year:"]),
      ("artist:b", 0, ["artist:Björk", "artist:\"The Band\""]), ("artist:bjö", 0, ["artist:Björk"]),
      ("ARTIST:=\"the b", 0, ["artist:=\"The Band\""]), ("album:", 0, ["album:\"Big|Pink\"", "album:Debut"]),
      ("genre:al", 0, ["genre:Alternative", "genre:\"Alternative Rock\""]),
      ("a|genre:\"alternative r", 2, ["genre:\"Alternative Rock\""]),
      ("format:", 0, ["format:.mp3"]), ("loved:", 0, ["loved:yes", "loved:no"]), ("state:m", 0, ["state:missing"]),
      ("sort:ye", 0, ["sort:year", "sort:year-"]), ("year:1", 0, []), ("nothing:x", 0, []), ("\"gen", 0, []),
    ] as [(String, Int, [String])])
  func `completions name fields, and their values in the library`(
    text: String, start: Int, candidates: [String]
  ) throws {
    let view = try Self.view([
      Song(title: "Human", artist: "Björk", album: "Debut", genre: "Alternative"),
      Song(title: "Weight", artist: "The Band", album: "Big|Pink", genre: "Alternative Rock"),
      Song(title: "Polka", artist: "\"Weird Al\" Yankovic", album: "\"", genre: "Alternative"),
      Song(title: "Evil", artist: "B\u{1b}[2J", album: "D\nrm", genre: "Alternative \u{202e}"),
    ])
    let completion = QueryCompletion(text, in: view)
    #expect(completion.start == start)
    #expect(completion.candidates == candidates)
    // Whatever is offered can be read.
    for candidate in completion.candidates where !candidate.hasSuffix(":") {
      _ = try LibraryQuery(candidate, now: Self.now)
    }
  }

  // MARK: Words

  /// What words mean, the best first, with the titles that are played.
  private static func matches(_ view: LibraryView, _ text: String) throws -> [String] {
    try LibrarySearch(view).matches(text, now: now, seed: 1).map { match in
      let tracks = if case .tracks(let numbers) = match.source { numbers.map { view.track($0).title } } else { [""] }
      return "\(match.title): \(tracks.joined(separator: ", "))"
    }
  }

  private static let grunge = [
    Song(title: "Rape Me", artist: "Nirvana", album: "In Utero", folder: "/m/3", year: "1993"),
    Song(title: "Dumb", artist: "Nirvana", album: "In Utero", folder: "/m/3", year: "1993"),
    Song(title: "Blew", artist: "Nirvana", album: "Bleach", folder: "/m/1", year: "1989"),
    Song(title: "Hurt", artist: "Johnny Cash", album: "American IV", folder: "/m/c", year: "2002", genre: "Folk"),
    Song(
      title: "Give My Love", artist: "Johnny Cash", album: "American IV", folder: "/m/c", year: "2002", genre: "Folk"),
    Song(title: "Hurtful", artist: "Erik Hassle", album: "Hurtful Things", folder: "/m/h", year: "2009"),
    Song(title: "Nirvana for All", artist: "Sam", album: "Peace", folder: "/m/s", year: "2011"),
  ]

  @Test(
    arguments: [
      (
        "nirvana",
        [
          "artist Nirvana: Blew, Rape Me, Dumb", "track Nirvana for All by Sam: Nirvana for All",
          "album Bleach by Nirvana: Blew", "album In Utero by Nirvana: Rape Me, Dumb",
        ]
      ),
      ("In  UTERO nirvana", ["album In Utero by Nirvana: Rape Me, Dumb"]),
      (
        "hurt",
        [
          "track Hurt by Johnny Cash: Hurt", "album Hurtful Things by Erik Hassle: Hurtful",
          "tracks (hurt): Hurtful, Hurt",
        ]
      ),
      ("cash", ["artist Johnny Cash: Hurt, Give My Love", "album American IV by Johnny Cash: Hurt, Give My Love"]),
      ("folk", ["tracks (folk): Hurt, Give My Love"]),
      ("album:\"in utero\"", ["tracks (album:\"in utero\"): Rape Me, Dumb"]),
      ("artist:nirvana sort:title limit:2", ["tracks (artist:nirvana sort:title limit:2): Blew, Dumb"]),
      ("random album bleach", ["album Bleach by Nirvana: Blew"]), ("nothing", []),
    ] as [(String, [String])])
  func `words mean an album, an artist or tracks, in the order of the album`(text: String, found: [String]) throws {
    let view = try Self.view(Self.grunge)
    #expect(try Self.matches(view, text).map { $0.replacing(#/^\d+ /#, with: "") } == found)
    #expect(try Self.matches(view, "all").map { String($0.prefix(14)) } == ["7 tracks (all)"])
  }

  @Test func `the whole name comes first, without the and punctuation`() throws {
    let view = try Self.view([
      Song(title: "A", artist: "The Beatles", album: "With the Beatles", folder: "/m/1"),
      Song(title: "B", artist: "AC/DC", album: "Live", folder: "/m/2"),
      Song(title: "C", artist: "Tribute", album: "The Best of AC/DC", folder: "/m/3"),
      Song(title: "D", artist: "Sia", album: "Passiaflora", folder: "/m/4"),
    ])
    #expect(try Self.matches(view, "beatles").first == "artist The Beatles: A")
    #expect(try Self.matches(view, "acdc").first == "artist AC/DC: B")
    #expect(try Self.matches(view, "the best").first == "album The Best of AC/DC by Tribute: C")
    let sia = try #require(try LibrarySearch(view).matches("sia", now: 0, seed: 1).first)
    #expect(sia.name == "Sia" && SearchWords("sia").map(sia.hasWhole) == true)
    let inside = try #require(try LibrarySearch(view).matches("flora", now: 0, seed: 1).first)
    #expect(inside.name == "Passiaflora" && SearchWords("flora").map(inside.hasWhole) == false)
  }

  @Test(
    arguments: [
      (["album:kind of blue"], "album:\"kind of blue\""), (["artist:=The Band", "live"], "artist:=\"The Band\" live"),
      (["nirvana in utero"], "nirvana in utero"), (["genre:jazz year:1959"], "genre:jazz year:1959"),
      (["album:\"a b\" c"], "album:\"a b\" c"), (["title: x -y"], "title: x -y"), (["a: b"], "a: b"),
    ])
  func `a shell takes quotes away, which a query gets back`(arguments: [String], query: String) {
    #expect(LibraryQuery.text(ofArguments: arguments) == query)
  }

  @Test func `albums and their artists are found as they are grouped, also where no tag has them`() throws {
    let view = try Self.view([
      Song(title: "1", artist: "X", album: "Mix", folder: "/m/mix"),
      Song(title: "2", artist: "Y", album: "Mix", folder: "/m/mix"),
      Song(title: "3", artist: "D", folder: "/m/Loose"),
      Song(title: "4", artist: "E", album: "B-Sides", folder: "/m/b", albumArtist: "AC/DC"),
    ])
    for field in ["artist:", "album:", "albumartist:"] {
      let candidates = QueryCompletion(field, in: view).candidates
      #expect(candidates.count > 2)
      for candidate in candidates { #expect(try !Self.titles(view, candidate).isEmpty, "\(candidate)") }
    }
    for (query, titles) in [
      ("albumartist:various", ["1", "2"]), ("albumartist:d", ["3", "4"]), ("-albumartist:various", ["3", "4"]),
      ("album:loose", ["3"]), ("albumartist:acdc", ["4"]), ("album:b-sides", ["4"]), ("album:bsides x", []),
    ] { #expect(try Self.titles(view, query).sorted() == titles, "\(query)") }
  }

  @Test func `tags with a list of their own are found, completed and sorted by`() throws {
    let view = try Self.view([
      Song(title: "1", artist: "X", composers: ["Satie", "Ravel"]), Song(title: "2", artist: "X"),
      Song(title: "3", artist: "X", composers: ["Chopin"]),
    ])
    for (query, titles) in [
      ("composer:rav", ["1"]), ("composer:=chopin", ["3"]), ("-composer:satie", ["2", "3"]),
      ("sort:composer", ["2", "3", "1"]),
    ] { #expect(try Self.titles(view, query) == titles, "\(query)") }
    #expect(
      QueryCompletion("composer:", in: view).candidates == ["composer:Chopin", "composer:Ravel", "composer:Satie"])
    #expect(view.track(0).composers == ["Satie", "Ravel"])
  }

  @Test func `without a library completions know fields and fixed values`() {
    #expect(QueryCompletion("", in: nil).candidates.count == LibraryQuery.fieldNames.count)
    #expect(QueryCompletion("shuffle:w", in: nil).candidates == ["shuffle:weighted"])
    #expect(QueryCompletion("artist:b", in: nil).candidates == [])
  }

  @Test func `letters with marks, marks between letters, and case meet`() throws {
    let view = try Self.view([
      Song(title: "Jóga", artist: "Björk", album: "Homogenic"),
      Song(title: "Svefn-g-englar", artist: "Sigur Rós", album: "Á"),
      Song(title: "Thunderstruck", artist: "AC/DC", album: "Live"),
      Song(title: "Stand", artist: "R.E.M.", album: "Green"),
      Song(title: "ＬＯＶＥ", artist: "Ærø Łódź", album: "Straße"), Song(title: "東京", artist: "椎名林檎", album: "教育"),
      // й, ガ and 한 in parts, й as one letter.
      Song(title: "Цо\u{438}\u{306}", artist: "\u{1112}\u{1161}\u{11ab}", album: "Ночь"),
      Song(title: "カ\u{3099}ラスの", artist: "x", album: "y"), Song(title: "Трамва\u{439}", artist: "x", album: "y"),
      Song(title: "Don't Stop", artist: "Fleetwood Mac", album: "Rumours"),
      Song(title: "Don't Cry", artist: "Guns N' Roses", album: "Use Your Illusion"),
    ])
    for (query, title) in [
      ("bjork", "Jóga"), ("BJÖRK", "Jóga"), ("sigur ros", "Svefn-g-englar"), ("acdc", "Thunderstruck"),
      ("ac/dc", "Thunderstruck"), ("rem", "Stand"), ("r.e.m.", "Stand"), ("love", "ＬＯＶＥ"), ("aero lodz", "ＬＯＶＥ"),
      ("strasse", "ＬＯＶＥ"), ("京", "東京"), ("genic", "Jóga"), ("ac-dc", "Thunderstruck"),
      ("цо\u{439}", "Цой"), ("\u{ac00}", nil), ("\u{d55c}", "Цой"), ("ガラス", "ガラスの"),
      ("трамваи\u{306}", "Трамвай"), ("трамваи", nil),
      ("ac-dc live", "Thunderstruck"), ("thunder ac-dc", "Thunderstruck"), ("dont stop", "Don't Stop"),
      ("\"don't stop\"", "Don't Stop"), ("title:\"don't cry\"", "Don't Cry"),
    ] as [(String, String?)] {
      #expect(try Self.titles(view, query) == [title].compactMap(\.self), "\(query)")
    }
    #expect(try Self.titles(view, "bjork thunder") == [])
  }

  @Test func `titles come before artists, beginnings before insides`() throws {
    let view = try Self.view([
      Song(title: "Glove", artist: "a", album: "x"), Song(title: "b", artist: "Lovers", album: "x"),
      Song(title: "Crazy Love", artist: "c", album: "x"), Song(title: "Love Me", artist: "d", album: "x"),
      Song(title: "e", artist: "e", album: "Lovely"),
    ])
    #expect(try Self.titles(view, "love") == ["Love Me", "b", "e", "Crazy Love", "Glove"])
  }

  @Test(arguments: ["l", "lo", "love", "moon", "zzz", "o", "love limit:3", "ac-dc"], [0, 1, 7, 100])
  func `the first tracks are those of the whole search`(text: String, limit: Int) throws {
    let words = ["Love", "Moon", "Glove", "Lost", "AC-DC"]
    let view = try Self.view(
      (0..<200).map { number in
        var song = Song(title: "\(words[number % 5]) \(words[number / 5 % 5]) \(number)", artist: "Moon", album: "x")
        song.facts.plays = number * 7 % 11
        return song
      })
    let (search, query) = (LibrarySearch(view), try LibraryQuery(text, now: 0))
    let all = search.tracks(query)
    let begun = all.filter { view.track($0).title.lowercased().hasPrefix(text.split(separator: " ")[0]) }
    #expect(search.firstTracks(query, limit: limit) == Array(begun.prefix(limit)))
    #expect(Array(all.prefix(begun.count)) == begun)
    let found = search.found(query, first: limit)
    #expect(found.total == all.count && found.tracks.prefix(limit).elementsEqual(all.prefix(limit)))
    #expect(LibrarySearch(view) { false }.tracks(query).count <= all.count)
  }

  @Test func `a search for more than a word has no first tracks`() throws {
    let view = try Self.view([Song(title: "Love", artist: "a", album: "x")])
    for text in ["", "love a", "title:love", "love sort:title", "love shuffle:tracks", "-love"] {
      #expect(LibrarySearch(view).firstTracks(try LibraryQuery(text, now: 0), limit: 5) == nil, "\(text)")
    }
  }

  @Test func `a weighted shuffle puts tracks first in proportion to their ratings`() throws {
    func song(_ title: String, rating: Int?, isLoved: Bool = false) -> Song {
      var song = Song(title: title, artist: "a", album: "x")
      (song.facts.rating, song.facts.love) = (rating, isLoved)
      return song
    }
    let view = try Self.view([
      song("best", rating: 10), song("good", rating: 5), song("unrated", rating: nil),
      song("loved", rating: nil, isLoved: true), song("worst", rating: 0),
    ])
    let query = try LibraryQuery("shuffle:weighted", now: 0)
    var first: [String: Int] = [:]
    for seed in 0..<3050 {
      let tracks = LibrarySearch(view).tracks(query, seed: UInt64(seed))
      #expect(tracks.sorted() == Array(0..<5) && tracks == LibrarySearch(view).tracks(query, seed: UInt64(seed)))
      first[view.track(tracks[0]).title, default: 0] += 1
    }
    // Of 30.5 parts 10, 5, 5, 10 and 0.5; four standard deviations are less than 110.
    for (title, parts) in [("best", 1000), ("good", 500), ("unrated", 500), ("loved", 1000), ("worst", 50)] {
      #expect(abs((first[title] ?? 0) - parts) < 110, "\(first)")
    }
    #expect(first["worst"] ?? 0 < 100)
  }

  @Test func `plays decide between equals`() throws {
    var often = Song(title: "Love A", artist: "z", album: "x")
    often.facts.plays = 9
    let view = try Self.view([Song(title: "Love B", artist: "a", album: "x"), often])
    #expect(try Self.titles(view, "love") == ["Love A", "Love B"])
  }

  @Test(arguments: [
    ("genre:baroque", "Aria"), ("year:1720..1750", "Old"), ("year:>=2020", "New"), ("rating:>=8", "Aria"),
    ("rating:none", "New Old"), ("plays:0 -genre:baroque", "New Old"), ("added:<30d", "New"),
    ("added:2025-02", "Aria Old"),
    ("length:..4:00", "New Old"), ("length:>4:00", "Aria"), ("artist:=bach", "Aria Old"), ("artist:=bac", ""),
    ("title:\"ar ia\"", ""), ("(genre:baroque | year:2021) sort:title-", "New Aria"), ("sort:year limit:1", "Old"),
    ("loved:yes", "Aria"), ("-loved:yes sort:year-", "New Old"), ("folder:/m state:here sort:title", "Aria New Old"),
    ("bitrate:128 sort:title limit:2", "Aria New"), ("added:2025-03..", "New"), ("played:none sort:title", "New Old"),
  ])
  func `conditions choose and order tracks`(query: String, expected: String) throws {
    var aria = Song(title: "Aria", artist: "Bach", album: "Goldberg", genre: "Baroque")
    (aria.facts.rating, aria.facts.plays, aria.facts.love, aria.facts.last) = (8, 3, true, 1_740_500_000)
    aria.seconds = 300
    let old = Song(title: "Old", artist: "Bach", album: "O", year: "1731-04-01")
    let new = Song(
      title: "New", artist: "Me", album: "N", year: "2021", facts: ListenerFacts(added: 1_749_000_000), seconds: 100)
    let titles = try Self.titles(Self.view([aria, old, new]), query)
    let isOrdered = query.contains("sort:")
    #expect((isOrdered ? titles : titles.sorted()).joined(separator: " ") == expected)
  }

  @Test(arguments: [
    ("yaer:1990", 0, "no field \"yaer\""), ("bach year:x", 10, "takes a number"), ("(bach", 0, "no )"),
    ("bach)", 4, "no ("), ("artist:\"bach", 7, "no second"), ("sort:nothing", 5, "sort takes"), ("a -", 3, ""),
    ("added:yesterday", 6, "a date"), ("limit:-1", 6, "a number"), ("state:gone", 6, "here, away or missing"),
  ])
  func `errors point at the letter`(query: String, place: Int, reason: String) {
    do throws(QueryError) {
      _ = try LibraryQuery(query, now: Self.now)
      #expect(reason.isEmpty, "\(query)")
    } catch {
      #expect(error.place == place && error.reason.contains(reason), "\(query): \(error)")
    }
  }

  @Test func `artists and albums are found by their words, the best first, and tracks without the query language`()
    throws
  {
    let view = try Self.view([
      Song(title: "Aria", artist: "J. S. Bach", album: "Goldberg", albumArtist: "J. S. Bach"),
      Song(title: "Cantata", artist: "Bach, C. P. E.", album: "Works", albumArtist: "Bach, C. P. E."),
      Song(title: "genre:jazz", artist: "Björk", album: "A Bach Book", albumArtist: "Björk"),
    ])
    let search = LibrarySearch(view)
    func names(_ text: String) throws -> [[String]] {
      let words = try #require(SearchWords(text))
      return [
        search.artists(words).map { view.artist($0).name }, search.albums(words).map { view.album($0).title },
        search.tracks(LibraryQuery(words)).map { view.track($0).title },
      ]
    }
    #expect(try names("bach").prefix(2) == [["Bach, C. P. E.", "J. S. Bach"], ["Works", "A Bach Book", "Goldberg"]])
    #expect(try names("bach goldberg") == [[], ["Goldberg"], ["Aria"]])
    #expect(try names("bjork")[0] == ["Björk"])
    let wrong = try #require(SearchWords("goldbreg arai"))
    let near = try #require(search.corrected(wrong))
    #expect(search.tracks(LibraryQuery(near)).map { view.track($0).title } == ["Aria"])
    let otherStarts = try #require(SearchWords("koldberg zria"))
    #expect(search.corrected(otherStarts) == SearchWords("goldberg aria"))
    #expect(search.corrected(try #require(SearchWords("kuldberg"))) == nil, "another letter is wrong, too")
    #expect(try names("genre:jazz") == [[], [], ["genre:jazz"]])
    #expect(try names("nothing") == [[], [], []])
  }

  @Test func `any text is a query or an error`() {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("a:()|-\"<>=.0 9yearsort\u{301}")
    for _ in 0..<2000 {
      let text = String((0..<Int.random(in: 0...20, using: &generator)).map { _ in letters.randomElement() ?? "a" })
      do throws(QueryError) { _ = try LibraryQuery(text, now: Self.now) } catch { #expect(error.place <= text.count) }
    }
    #expect(throws: QueryError.self) { try LibraryQuery(String(repeating: "(", count: 3000), now: 0) }
  }

  @Test func `guests do not divide an album, and equal titles in other folders are other albums`() throws {
    let view = try Self.view([
      Song(title: "1", artist: "A", album: "Greatest Hits", folder: "/m/a", albumArtist: "A"),
      Song(title: "2", artist: "A feat. B", album: "Greatest Hits", folder: "/m/a", albumArtist: "A"),
      Song(title: "3", artist: "C", album: "Greatest Hits", folder: "/m/c"),
      Song(title: "4", artist: "X", album: "Mix", folder: "/m/mix"),
      Song(title: "5", artist: "Y", album: "Mix", folder: "/m/mix"),
      Song(title: "6", artist: "D", album: "Double", folder: "/m/d/CD 1"),
      Song(title: "7", artist: "D", album: "Double", folder: "/m/d/CD2"),
    ])
    let albums = (0..<view.index.albumCount).map(view.album)
    let shown = albums.map { album in "\(album.artist): \(album.title) \(album.tracks.count) \(album.rule)" }
    #expect(
      shown == [
        "A: Greatest Hits 2 \(AlbumRule.albumArtist)", "C: Greatest Hits 1 \(AlbumRule.folder)",
        "D: Double 2 \(AlbumRule.folder)", "Various Artists: Mix 2 \(AlbumRule.folder)",
      ])
    #expect((0..<view.index.artistCount).map { view.artist($0).name } == ["A", "C", "D", "Various Artists"])
  }

  @Test(arguments: ["CD 1", "cd1", "Disc02", "Disk_3", "CD1 - Live"]) func `folders of discs`(name: String) {
    #expect(AlbumGrouping.disc(Array(name.utf8)[...]) != nil)
  }

  @Test(arguments: ["CDs", "Discography", "Disco 3", "1999", "Side Effects"]) func `other folders`(name: String) {
    #expect(AlbumGrouping.disc(Array(name.utf8)[...]) == nil)
  }

  @Test func `bytes are found at any position`() {
    var text = [UInt8](repeating: UInt8(ascii: "a"), count: 200)
    for word in ["b", "bc", "bcd", "bcdefgh"].map({ Array($0.utf8) }) {
      for place in 0...(text.count - word.count) {
        let before = text
        text.replaceSubrange(place..<(place + word.count), with: word)
        let found = text.withUnsafeBytes { ByteFinder(word).first(in: $0) }
        let behind = text.withUnsafeBytes { ByteFinder(word).first(in: $0, from: place + 1) }
        #expect(found == place && behind == nil)
        text = before
      }
    }
  }

  @Test func `a cut index is none`() throws {
    var builder = IndexBuilder()
    let row = IndexBuilder.Row(
      file: 1, recording: 1, folder: [0x2f], name: [0x61], state: .here, duration: 1, isEstimated: false, format: "",
      bitRate: 0, facts: ListenerFacts())
    builder.add(row, tags: UnsafeRawBufferPointer(start: nil, count: 0))
    let bytes = builder.finish(change: 7).bytes
    let folder = TemporaryFolder()
    for count in stride(from: 0, to: bytes.count, by: 16) {
      folder.write(BytePath("catalogue.map"), bytes.prefix(count))
      #expect(LibraryIndex(folder: folder.path) == nil)
    }
    folder.write(BytePath("catalogue.map"), bytes)
    #expect(LibraryIndex(folder: folder.path)?.change == 7)
  }

  @Test func `an index is given in pieces, without a second copy of its rows`() {
    var builder = IndexBuilder()
    for number in 0..<3000 {
      let name = Array("\(number % 7) \(number)".utf8)
      let row = IndexBuilder.Row(
        file: Int64(number), recording: Int64(3000 - number), folder: [0x2f], name: name, state: .here, duration: 1,
        isEstimated: false, format: "", bitRate: 0, facts: ListenerFacts())
      builder.add(row, tags: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let contents = builder.finish(change: 7)
    var (pieces, bytes) = ([Int](), [UInt8]())
    let isWhole = contents.write {
      pieces.append($0.count)
      bytes += $0
      return true
    }
    #expect(isWhole && bytes == contents.bytes && pieces.allSatisfy { $0 < 70_000 } && bytes.count > 300_000)
    let index = LibraryIndex(bytes: bytes)
    #expect(index?.trackCount == 3000 && index?.change == 7)
    pieces = []
    let isCut = contents.write {
      pieces.append($0.count)
      return pieces.count < 3
    }
    #expect(!isCut && pieces.count == 3)
  }

  @Test func `dates are those of the calendar`() {
    #expect(CalendarDate.text(0) == "1970-01-01T00:00:00Z")
    #expect(CalendarDate.text(1_709_210_096) == "2024-02-29T12:34:56Z")
    #expect(CalendarDate.moments(in: "2024-02-29") == 1_709_164_800...1_709_251_199)
    #expect(CalendarDate.moments(in: "2023-02-29") == nil)
  }
}
