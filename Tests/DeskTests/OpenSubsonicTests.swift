import AudioModel
import ByteIO
import Library
import Streaming
import SoundServerSupport
import Glibc
import Testing

@testable import Desk

private let base = ServerAccount(
  name: "home", kind: .openSubsonic, address: WebAddress("https://music.home/sub"), user: "me & you",
  secret: .token("26719a1196d2a940705a59634eb18eab", salt: "c19b2d"), version: "1.16.1")

private func envelope(_ rest: String, status: String = "ok", version: String = "1.16.1") -> [UInt8] {
  Array("{\"subsonic-response\":{\"status\":\"\(status)\",\"version\":\"\(version)\"\(rest)}}".utf8)
}

private func failure(_ code: Int, version: String = "1.16.1") -> [UInt8] {
  envelope(",\"error\":{\"code\":\(code),\"message\":\"no\"}", status: "failed", version: version)
}

/// Made by openssl for other.home.
private let certificate = """
  MIIBfzCCASWgAwIBAgIUVILDyAIDTsw4ve39UVGCBQq1gAowCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKb3RoZXIuaG9tZTAeFw0yNjExMzAxMjM5\
  NTZaFw0yNjEyMDIxMjM5NTZaMBUxEzARBgNVBAMMCm90aGVyLmhvbWUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATwhD0hIKZOVJ+cTyDkApAp\
  uv5tLKugzCH47FdJdzyz8es1KcWyz9UmJH6aaIKRmr985F1M+OaPhIAztAXHdSEyo1MwUTAdBgNVHQ4EFgQUDgm7nvdw+0PWpFhhW4gmOWz812cw\
  HwYDVR0jBBgwFoAUDgm7nvdw+0PWpFhhW4gmOWz812cwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAwt3kXWndvISWqryRC3Sf\
  jJT9wuT8ZpN+3JExLgR8SggCIG3fVKN0EYV4t+csEjqXk7kZt15NHqF6MTxEvYZeMOny
  """

/// The value of a field of an address's query.
private func field(_ name: String, of address: WebAddress) -> String? {
  address.query?.split(separator: "&").first { $0.hasPrefix(name + "=") }
    .map { String($0.dropFirst(name.utf8.count + 1)).removingPercentEscapes }
}

@Suite struct `Requests to a server of music` {
  @Test func `are signed with the token and its salt`() {
    let address = SubsonicRequest.address("getAlbum", [("id", "a/b?c")], of: base)
    #expect(
      address.text
        == "https://music.home/sub/rest/getAlbum.view?u=me%20%26%20you&t=26719a1196d2a940705a59634eb18eab&s=c19b2d"
        + "&v=1.16.1&c=segue&f=json&id=a%2Fb%3Fc")
    // The example of the interface's documentation.
    #expect(SubsonicRequest.token(of: "sesame", salt: "c19b2d") == base.secret)
  }

  @Test func `contain the password in hexadecimal where tokens are not known`() {
    var account = base
    account.secret = .password("se é")
    #expect(field("p", of: SubsonicRequest.address("ping", of: account)) == "enc:736520c3a9")
  }

  @Test func `contain nothing but the key where there is one`() {
    var account = base
    account.secret = .apiKey("k&1")
    let address = SubsonicRequest.address("ping", of: account)
    #expect(address.query == "apiKey=k%261&v=1.16.1&c=segue&f=json")
  }

  @Test func `for the bytes of a track ask for the original`() {
    let address = SubsonicRequest.sound(ofTrack: "7", of: base)
    #expect(address.path == "/sub/rest/stream.view" && field("format", of: address) == "raw")
  }
}

@Suite struct `Requests about playlists` {
  /// Tells a server, and returns the methods with their fields.
  ///
  /// - Parameter answer: Returns the answer to a method.
  private func requests(
    _ tell: (SubsonicPlaylists) throws -> Void, answer: @escaping (String) -> String = { _ in "" }
  ) throws -> [String] {
    let paths = Paths()
    try tell(
      SubsonicPlaylists(account: base) { address throws(ServerFailure) in
        let query = (address.query ?? "").split(separator: "&f=json").dropFirst().joined()
        let name = address.path.replacing("/sub/rest/", with: "")
        paths.all.append(name + query)
        return envelope(answer(name.replacing(".view", with: "")))
      })
    return paths.all
  }

  private final class Paths { var all: [String] = [] }

  @Test func `replace all tracks, in pieces that fit`() throws {
    #expect(
      try requests { try $0.replace("p", with: ["a%2Fb", "2"]) }
        == ["createPlaylist.view&playlistId=p&songId=a%2Fb&songId=2"])
    #expect(try requests { try $0.replace("p", with: []) } == ["createPlaylist.view&playlistId=p"])
    let tracks = (0..<200).map { "track-number-\(1000 + $0)" }
    let pieces = try requests { try $0.replace("p", with: tracks) }
    #expect(pieces.count > 1 && pieces.allSatisfy { $0.utf8.count < 3100 })
    #expect(pieces.dropFirst().allSatisfy { $0.hasPrefix("updatePlaylist.view&playlistId=p&songIdToAdd=") })
    let sent = pieces.flatMap { $0.split(separator: "&").filter { $0.hasPrefix("song") } }
      .map { String($0.split(separator: "=")[1]) }
    #expect(sent == tracks)
  }

  @Test(arguments: [true, false]) func `have many tracks in a form where the server takes one`(isTaken: Bool) throws {
    let (addresses, forms) = (Paths(), Paths())
    let lists = SubsonicPlaylists(account: base) { address throws(ServerFailure) in
      addresses.all.append(address.path)
      return envelope("")
    } post: { address throws(ServerFailure) in
      forms.all.append(address.path)
      return envelope(",\"openSubsonicExtensions\":[{\"name\":\"\(isTaken ? "formPost" : "songLyrics")\"}]")
    }
    try lists.replace("p", with: ["1"])
    #expect(addresses.all.count == 1 && forms.all == [])
    try lists.replace("p", with: (0..<200).map { "track-number-\(1000 + $0)" })
    #expect(addresses.all.count == (isTaken ? 1 : 3) && forms.all.count == (isTaken ? 2 : 1))
  }

  @Test func `remove the last track first, and then add`() throws {
    let change = try #require(PlaylistChange(from: ["1", "2", "3", "4"], to: ["2", "4", "a%2Fb"]))
    #expect(
      try requests { try $0.edit("p", change) } == [
        "updatePlaylist.view&playlistId=p&songIndexToRemove=2&songIndexToRemove=0",
        "updatePlaylist.view&playlistId=p&songIdToAdd=a%2Fb",
      ])
  }

  /// LMS hides a playlist with each change that does not say otherwise, and Ampache shows one that is replaced.
  @Test(arguments: [true, false]) func `leave a playlist to those who see it`(isPublic: Bool) throws {
    let change = try #require(PlaylistChange(from: ["1"], to: ["1", "2"]))
    let told = try requests { lists in
      _ = try lists.playlist("p")
      try lists.edit("p", change)
      try lists.rename("p", to: "C")
      try lists.replace("p", with: ["2"])
    } answer: { method in
      switch method {
      case "getPlaylist": ",\"playlist\":{\"id\":\"p\",\"public\":\(isPublic)}"
      case "createPlaylist": ",\"playlist\":{\"id\":\"p\",\"public\":true}"
      default: ""
      }
    }
    let sight = isPublic ? "&public=true" : ""
    let last = isPublic ? [] : ["updatePlaylist.view&playlistId=p&public=false"]
    #expect(
      told == [
        "getPlaylist.view&id=p", "updatePlaylist.view&playlistId=p\(sight)&songIdToAdd=2",
        "updatePlaylist.view&playlistId=p\(sight)&name=C", "createPlaylist.view&playlistId=p&songId=2",
      ] + last)
  }

  @Test func `make, rename and delete`() throws {
    #expect(try requests { _ = try $0.create("A & B") } == ["createPlaylist.view&name=A%20%26%20B"])
    #expect(try requests { try $0.rename("p", to: "C") } == ["updatePlaylist.view&playlistId=p&name=C"])
    #expect(try requests { try $0.delete("p") } == ["deletePlaylist.view&id=p"])
  }

  @Test func `tell whose they are, and whether all tracks are known`() throws {
    let rest = """
      ,"playlists":{"playlist":[{"id":1,"name":"A\\u0000","owner":"ME & you","songCount":2,"changed":"2026-11-01"},
      {"id":"2","name":"B","owner":"her"},{"id":"3","readonly":true},{"name":"without an ID"}]}
      """
    let lists = try SubsonicAnswer(envelope(rest)).playlists(of: base.user)
    #expect(lists.map(\.name) == ["A", "B", "3"] && lists.map(\.isOwn) == [true, false, false])
    #expect(lists[0].count == 2 && lists[0].version == "2026-11-01" && lists[1].version == nil)
    let hidden = ",\"playlist\":{\"id\":\"1\",\"songCount\":2,\"entry\":[{\"id\":\"7\"}]}"
    #expect(try SubsonicAnswer(envelope(hidden)).playlist(of: "me")?.isOwn == false)
    let videos = ",\"playlist\":{\"id\":\"1\",\"entry\":[{\"id\":\"7\"},{\"id\":\"8\",\"isVideo\":true}]}"
    let list = try SubsonicAnswer(envelope(videos)).playlist(of: "me")
    #expect(list?.tracks.map(\.id) == ["7"] && list?.isOwn == false)
    #expect(try SubsonicAnswer(envelope("")).playlists(of: "me") == [])
  }

  @Test func `take a playlist for deleted only if the server says that it has none`() throws {
    func lists(_ answer: [UInt8]) -> SubsonicPlaylists {
      SubsonicPlaylists(account: base) { _ throws(ServerFailure) in answer }
    }
    #expect(try lists(failure(70)).playlist("p") == nil)
    for answer in [failure(50), failure(0), envelope("")] {
      #expect(throws: ServerFailure.self) { try lists(answer).playlist("p") }
    }
  }
}

@Suite struct `Requests about places` {
  @Test func `set and remove bookmarks in thousandths of seconds`() throws {
    var fields: [String] = []
    for seconds in [61.25, nil] {
      let places = SubsonicPlaces(account: base) { address throws(ServerFailure) in
        fields.append(address.path.replacing("/sub/rest/", with: ""))
        fields.append(field("id", of: address) ?? "-")
        fields.append(field("position", of: address) ?? "-")
        return seconds == nil ? failure(70) : envelope("")
      }
      try places.set("a%2Fb", to: seconds)
    }
    #expect(fields == ["createBookmark.view", "a/b", "61250", "deleteBookmark.view", "a/b", "-"])
  }

  @Test func `take bookmarks with their times`() throws {
    let answer = try SubsonicAnswer(
      envelope(
        """
        ,"bookmarks":{"bookmark":[{"position":61250,"changed":"1970-01-01T00:16:40Z","entry":{"id":"7","duration":3600}},
        {"position":-1,"entry":{"id":"8"}},{"position":"x","entry":{"id":"9"}},{"position":1}]}
        """))
    #expect(answer.places.map(\.track.id) == ["7", "8"] && answer.places.map(\.seconds) == [61.25, 0])
    #expect(answer.places.map(\.changed) == [1000, nil] && answer.places[0].track.duration == 3600)
  }
}

@Suite struct `Requests about the play queue` {
  @Test func `send the current track first, and as many as fit`() throws {
    var query = ""
    let queue = SubsonicQueue(account: base) { address throws(ServerFailure) in
      query = address.query ?? ""
      return envelope("")
    }
    try queue.keep(ServerQueue(tracks: ["a%2Fb", "2"], seconds: 1.5))
    #expect(query.hasSuffix("&f=json&id=a%2Fb&id=2&current=a%2Fb&position=1500"))
    let tracks = (0..<200).map { "track-number-\(1000 + $0)" }
    #expect(SubsonicQueue.fitting(tracks).count == 142 && SubsonicQueue.fitting(["1"]) == ["1"])
    #expect(SubsonicQueue.fitting([String(repeating: "x", count: 4000), "1"]).count == 1)
    #expect(try queue.kept() == nil)
  }

  @Test func `take the tracks from the current one on`() throws {
    let rest = """
      ,"playQueue":{"current":"a/b","position":61000,"changed":"1970-01-01T00:16:40Z","changedBy":"Phone",
      "entry":[{"id":"1"},{"id":"a/b"},{"id":"3"}]}
      """
    let queue = try SubsonicAnswer(envelope(rest)).queue
    #expect(queue == ServerQueue(tracks: ["a%2Fb", "3"], seconds: 61, changed: 1000, program: "Phone"))
    let all = try SubsonicAnswer(envelope(",\"playQueue\":{\"entry\":[{\"id\":\"1\"}]}")).queue
    #expect(all == ServerQueue(tracks: ["1"], seconds: 0))
  }
}

@Suite struct `The file of servers` {
  @Test func `keeps what it was told, and lines that it does not know`() throws {
    var accounts = ServerAccounts(text: "name=later&kind=jellyfin&key=1\n")
    let first = accounts.add(base)
    #expect(first.name == "music.home" && first.root.description == "segue://music.home")
    var other = base
    (other.user, other.secret) = ("her", .password("a&b=c\nd"))
    #expect(accounts.add(other).name == "music.home-2")
    (other.user, other.secret) = ("", .apiKey("k&1"))
    #expect(accounts.add(other).name == "music.home-3" && other.place == "at https://music.home/sub")
    let read = ServerAccounts(text: accounts.text)
    #expect(read.all == accounts.all && read.all.map(\.user) == ["me & you", "her", ""])
    #expect(read.text == accounts.text && read.text.hasPrefix("name=later&kind=jellyfin&key=1\n"))
    #expect(read.named("https://music.home/sub/") == first && read.named("music.home") == first)
    #expect(read.named("segue://music.home-2")?.user == "her" && read.named("nothing") == nil)
  }

  @Test func `takes the new password of a known server`() {
    var accounts = ServerAccounts(text: "")
    _ = accounts.add(base)
    var changed = base
    changed.secret = .token("new", salt: "s")
    #expect(accounts.add(changed).name == "music.home" && accounts.all.map(\.secret) == [.token("new", salt: "s")])
  }

  @Test func `can be read by the user only, and opens the tracks`() throws {
    let folder = try TemporaryFolder()
    var accounts = ServerAccounts(text: "")
    _ = accounts.add(base)
    try accounts.save(in: BytePath(folder.path))
    var status = stat()
    #expect(stat(folder("servers"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    let servers = KnownServers(BytePath(folder.path))
    let address = try LibraryServers.address(of: WebAddress("segue://music.home/a%2Fb"), in: servers)
    #expect(address.host == "music.home" && field("id", of: address) == "a/b" && field("t", of: address) != nil)
    let cover = LibraryServers.cover(of: BytePath("segue://music.home/a%2Fb"), side: 160)
    let fetched = try LibraryServers.address(of: WebAddress(cover), in: servers)
    #expect(fetched.path == "/sub/rest/getCoverArt.view" && field("size", of: fetched) == "160")
    #expect(field("id", of: fetched) == "a/b")
    #expect(throws: NetworkError.self) { try LibraryServers.address(of: WebAddress("segue://other/1"), in: servers) }
  }

  @Test func `is read again when it has changed, and only then`() throws {
    let folder = try TemporaryFolder()
    let servers = KnownServers(BytePath(folder.path))
    #expect(try servers.accounts().all == [])
    var accounts = ServerAccounts(text: "")
    _ = accounts.add(base)
    try accounts.save(in: BytePath(folder.path))
    #expect(try servers.accounts().all.map(\.user) == ["me & you"])
    var status = stat()
    #expect(stat(folder("servers"), &status) == 0)
    // The same file, with other bytes and the old time.
    let bytes = contents(of: folder("servers"))
    let file = open(folder("servers"), O_WRONLY)
    defer { close(file) }
    let other = String(decoding: bytes, as: UTF8.self).replacing("me%20%26%20you", with: "he%20%26%20you")
    #expect(Glibc.write(file, Array(other.utf8), bytes.count) == bytes.count)
    futimens(file, [status.st_atim, status.st_mtim])
    #expect(try servers.accounts().all.map(\.user) == ["me & you"])
    try ServerAccounts(text: other).save(in: BytePath(folder.path))
    #expect(try servers.accounts().all.map(\.user) == ["he & you"])
    #expect(unlink(folder("servers")) == 0)
    #expect(try servers.accounts().all == [])
  }

  @Test func `keeps an accepted certificate for all users of a server, and the chosen music folders`() throws {
    var accounts = ServerAccounts(text: "")
    var first = base
    first.folders = [.init(id: "2", name: "Klassik & more/less"), .init(id: "a/3", name: "Live")]
    _ = accounts.add(first)
    var other = base
    other.user = "her"
    other.certificate = ServerCertificate(base64: certificate)
    #expect(other.certificate != nil)
    _ = accounts.add(other)
    let read = ServerAccounts(text: accounts.text)
    #expect(read.all.map(\.certificate) == [other.certificate, other.certificate] && read.all == accounts.all)
    #expect(read.all[0].folders == first.folders && read.all[1].folders == [])
    // A new password changes neither; other folders are a new choice.
    #expect(accounts.add(base).folders == first.folders)
    #expect(accounts.add(base, keepsFolders: false).folders == [])
    let damaged = accounts.text.replacing("certificate=M", with: "certificate=x")
    #expect(ServerAccounts(text: damaged).all.allSatisfy { $0.certificate == nil })
    #expect(ServerAccounts(text: damaged).text == damaged)
  }

  @Test func `and its secrets are not printed`() {
    #expect(!"\(base)".contains("26719a11"))
  }
}

@Suite struct `Answers of a server of music` {
  @Test func `have the gain of tracks, unless it makes no sense`() throws {
    let song =
      "\"id\":\"1\",\"replayGain\":{\"trackGain\":-7.25,\"trackPeak\":0.9,\"albumGain\":1e9,\"albumPeak\":\"x\"}"
    let tags = try #require(SubsonicAnswer(envelope(",\"album\":{\"song\":[{\(song)}]}")).tracks.first).tags
    #expect(tags.first(.trackGain) == "-7.25" && tags.first(.trackPeak) == "0.9")
    #expect(tags.first(.albumGain) == nil && tags.first(.albumPeak) == nil)
  }

  /// As gonic, and Navidrome before 0.55, write it. Neither means 0 dB.
  @Test(arguments: [0, 1]) func `have no gain where the server knows none`(peak: Int) throws {
    let song =
      "\"id\":\"1\",\"replayGain\":{\"trackGain\":-8,\"trackPeak\":0,\"albumGain\":0,\"albumPeak\":\(peak)}"
    let tags = try #require(SubsonicAnswer(envelope(",\"song\":{\(song)}")).track).tags
    #expect(tags.first(.trackGain) == "-8.0" && tags.first(.trackPeak) == nil)
    #expect(tags.first(.albumGain) == nil && tags.first(.albumPeak) == nil)
  }

  @Test func `have stations, and those on the network are kept for each server`() throws {
    let text =
      ",\"internetRadioStations\":{\"internetRadioStation\":[{\"id\":\"1\",\"name\":\"Eins\\u0007\","
      + "\"streamUrl\":\"http://radio/1\"},{\"id\":\"2\",\"streamUrl\":\"file:///etc/passwd\"},{\"id\":3}]}"
    let stations = try SubsonicAnswer(envelope(text)).stations
    #expect(stations == [.init("http://radio/1", title: "Eins")])
    let folder = try TemporaryFolder()
    var accounts = ServerAccounts(text: "")
    let account = accounts.add(base)
    try accounts.save(in: BytePath(folder.path))
    let kept = ServerStations(folder: BytePath(folder.path))
    #expect(kept.all == [])
    kept.save(stations, of: account)
    #expect(kept.all == stations)
    kept.remove(root: account.root)
    #expect(kept.all == [])
  }

  @Test func `have a date in their head`() {
    #expect(ServerCheck.moment("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    for text in [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 9994 08:49:37 GMT",
    ] {
      #expect(ServerCheck.moment(text) == nil)
    }
  }

  @Test func `of supysonic 0.7.2`() throws {
    let answer = try SubsonicAnswer(
      Array(
        """
        {"subsonic-response":{"album":{"artist":"Artist A","artistId":"a8","created":"2026-11-30T06:11:14","duration":15,
        "genre":"Jazz","id":"c6","name":"One","song":[{"album":"One","albumId":"c6","artist":"Guest","artistId":"a8",
        "bitRate":64000,"contentType":"audio/mpeg","created":"2026-11-30T06:11:14","discNumber":1,"duration":5,
        "genre":"Jazz","id":"541cea66","isDir":false,"isVideo":false,"parent":"3","path":"A/One/1.mp3","size":40678,
        "suffix":"mp3","title":"Song 1","track":1,"type":"music","year":1999}],"songCount":3,"year":1999},
        "status":"ok","version":"1.10.2"}}
        """.utf8))
    let track = try #require(answer.tracks.first)
    #expect(track.id == "541cea66" && track.byteCount == 40_678 && track.bitRate == 64_000 && track.duration == 5)
    #expect(track.format == .mpegLayer3 && track.added == 1_795_996_800)
    let tags = track.tags
    #expect(tags.first(.title) == "Song 1" && tags.first(.artist) == "Guest" && tags.first(.albumArtist) == "Artist A")
    #expect(tags.first(.album) == "One" && tags.number(.track) == 1 && tags.number(.disc) == 1)
    #expect(tags.first(.date) == "1999" && tags[.genres] == ["Jazz"])
    #expect(answer.version == "1.10.2" && answer.program == nil)
  }

  @Test func `with the members of OpenSubsonic`() throws {
    let answer = try SubsonicAnswer(
      envelope(
        """
        ,"type":"navidrome","serverVersion":"0.58.0","openSubsonic":true,"album":{"id":1,"name":"A","artist":"B & C",
        "artists":[{"name":"B"},{"name":"C"}],"musicBrainzId":"release","song":[{"id":12,"title":"T","bitRate":320,
        "genre":"x","genres":[{"name":"Rock"},{"name":"Pop"}],"artists":[{"name":"D"},{"name":"E"}],
        "displayArtist":"D feat. E","musicBrainzId":"recording","suffix":"FLAC"}]}
        """))
    let track = try #require(answer.tracks.first)
    #expect(track.id == "12" && track.bitRate == 320_000 && track.format == .flac && track.byteCount == 0)
    #expect(track.tags[.genres] == ["Rock", "Pop"] && track.tags[.artists] == ["D", "E"])
    #expect(track.tags[.albumArtists] == ["B", "C"] && track.tags.first(.artist) == "D feat. E")
    #expect(track.tags.first(.recordingID) == "recording" && track.tags.first(.releaseID) == "release")
    #expect(answer.program == "navidrome" && answer.programVersion == "0.58.0")
    #expect(track.rating == 0 && !track.isLoved && track.lastPlayed == nil && track.playCount == 0)
  }

  @Test func `of Funkwhale and older LMS`() throws {
    let answer = try SubsonicAnswer(
      envelope(
        """
        ,"type":"funkwhale","funkwhaleVersion":"1.4","album":{"id":12,"artistId":3,"name":"A","artist":"B",
        "songCount":1,"song":[{"id":7,"isDir":"false","isVideo":"false","title":"T","bitrate":256,"duration":0,
        "suffix":"","albumId":12,"genres":["Rock","Pop"]},{"id":8,"isVideo":"true"}]}
        """))
    #expect(answer.tracks.map(\.id) == ["7"] && answer.program == "funkwhale" && answer.programVersion == nil)
    #expect(answer.tracks.first?.bitRate == 256_000 && answer.tracks.first?.tags[.genres] == ["Rock", "Pop"])
  }

  /// Ampache 5 and Navidrome 0.41 put one into brackets, and Nextcloud Music none.
  @Test func `with brackets around one thing`() throws {
    #expect(try SubsonicAnswer(envelope(",\"song\":[{\"id\":\"7\",\"coverArt\":\"al-1\"}]")).track?.id == "7")
    #expect(try SubsonicAnswer(envelope(",\"song\":[{\"id\":\"7\",\"coverArt\":\"al-1\"}]")).coverID == "al-1")
    #expect(try SubsonicAnswer(envelope(",\"album\":[{\"song\":[{\"id\":1}]}]")).tracks.map(\.id) == ["1"])
    let place = ",\"bookmarks\":{\"bookmark\":[{\"position\":1000,\"entry\":[{\"id\":\"7\"}]}]}"
    #expect(try SubsonicAnswer(envelope(place)).places.map(\.track.id) == ["7"])
    #expect(try SubsonicAnswer(envelope(",\"playQueue\":[]")).queue == nil)
  }

  @Test func `with what the listener has told the server`() throws {
    let answer = try SubsonicAnswer(
      envelope(
        """
        ,"song":{"id":"1","userRating":4,"starred":"2026-01-02T03:04:05Z","playCount":7,
        "played":"2026-11-22T23:25:06.123+01:00"}
        """))
    let track = try #require(answer.track)
    #expect(track.rating == 4 && track.isLoved && track.playCount == 7)
    #expect(track.lastPlayed == 1_795_386_306)
    for (text, moment) in [
      ("1970-01-02T00:00:01", 86_401), ("1970-01-01T01:00:00-01:30", 9000), ("yesterday", nil), ("1970-01-01Tx", nil),
    ] as [(String, Int64?)] {
      let answer = try SubsonicAnswer(envelope(",\"song\":{\"id\":1,\"userRating\":99,\"played\":\"\(text)\"}"))
      #expect(answer.track?.lastPlayed == moment && answer.track?.rating == 5)
    }
  }

  /// The first episode has the form of the interface's documentation, with what Airsonic adds.
  @Test func `with podcasts have the episodes of a channel, by date`() throws {
    let answer = try SubsonicAnswer(
      envelope(
        """
        ,"podcasts":{"channel":[{"id":"1","title":"Other","episode":[{"id":"9","streamId":"9"}]},{"id":7,
        "url":"http://127.0.0.1/feed","title":"Scientific American","description":"x","coverArt":"pod-7",
        "originalImageUrl":"x","status":"completed","episode":[
        {"id":"34","streamId":"523","channelId":"7","title":"Scorpions Re-Evolve Eyes","description":"talks about",
        "publishDate":"2011-02-03T14:46:43.000Z","status":"completed","parent":"11","isDir":false,"year":2011,
        "genre":"Talk","coverArt":"24","size":78421341,"contentType":"audio/mpeg","suffix":"mp3","duration":3146,
        "bitRate":128,"isVideo":false,"created":"2011-02-04T00:00:00.000Z"},
        {"id":"33","title":"On the web","publishDate":"2011-02-02T00:00:00Z","status":"skipped"},
        {"id":"32","streamId":"522","title":"Half","status":"downloading"},
        {"id":"31","streamId":521,"title":"Same day","publishDate":"2011-02-01T00:00:00Z","status":"completed"},
        {"id":"30","streamId":"a/b","publishDate":"2011-02-01T00:00:00Z"}]}]}
        """))
    #expect(answer.channels == ["1", "7"] && answer.episodes(ofChannel: "8") == [])
    let episodes = answer.episodes(ofChannel: "7")
    #expect(episodes.map(\.id) == ["a%2Fb", "521", "523"])
    #expect(episodes.map { $0.tags.first(.title) } == ["a/b", "Same day", "Scorpions Re-Evolve Eyes"])
    #expect(episodes.map { $0.tags.number(.track) } == [1, 2, 3])
    let last = try #require(episodes.last)
    for field in [CatalogueTags.Field.artist, .album, .albumArtist] {
      #expect(last.tags[field] == ["Scientific American"])
    }
    #expect(last.tags[.genres] == ["Podcast"] && last.tags[.date] == ["2011-02-03"] && last.format == .mpegLayer3)
    #expect(last.duration == 3146 && last.byteCount == 78_421_341 && last.bitRate == 128_000)
    #expect(last.added == 1_296_777_600 && episodes[1].added == 1_296_518_400)
  }

  @Test func `with podcasts that are hostile give what is good of them`() throws {
    let text = """
      ,"podcasts":{"channel":[7,null,{"id":{}},{"id":"c","title":"\\u001b\\u0000","episode":{"streamId":"1",
      "title":["x"],"publishDate":"9999-99-99T99:99:99Z","duration":-1e300,"size":"x","status":"completed"}},
      {"id":"d","episode":[{"streamId":""},{"streamId":null,"status":7},[],{"streamId":"2","publishDate":"-1"}]}]}
      """
    let answer = try SubsonicAnswer(envelope(text))
    #expect(answer.channels == ["c", "d"])
    let episode = try #require(answer.episodes(ofChannel: "c").first)
    #expect(episode.id == "1" && episode.tags.first(.album) == "Podcast" && episode.tags.first(.title) == "1")
    #expect(episode.tags.first(.date) == nil && episode.added == 0 && episode.duration == nil)
    #expect(answer.episodes(ofChannel: "d").map(\.id) == ["2"])
    let many = (0..<10_001).map { "{\"streamId\":\($0)}" }.joined(separator: ",")
    let long = try SubsonicAnswer(envelope(",\"podcasts\":{\"channel\":{\"id\":1,\"episode\":[\(many)]}}"))
    #expect(long.episodes(ofChannel: "1").count == 10_000)
    let channels = (0..<1001).map { "{\"id\":\($0)}" }.joined(separator: ",")
    #expect(try SubsonicAnswer(envelope(",\"podcasts\":{\"channel\":[\(channels)]}")).channels.count == 1000)
    for text in ["", ",\"podcasts\":{}", ",\"podcasts\":[]", ",\"podcasts\":{\"channel\":\"x\"}"] {
      #expect(try SubsonicAnswer(envelope(text)).channels == [])
    }
  }

  @Test func `with lyrics become LRC`() throws {
    let answer = try SubsonicAnswer(
      envelope(
        """
        ,"lyricsList":{"structuredLyrics":[{"lang":"eng","synced":false,"line":[{"value":"plain"}]},
        {"kind":"translation","synced":true,"line":[{"start":0,"value":"other"}]},
        {"lang":"deu","synced":true,"offset":-500,"line":[{"start":1050,"value":"Nun\\nkomm"},
        {"start":3723004,"value":"der Heiden"},{"value":"without"},7]}]}
        """))
    let lyrics = Lyrics(text: try #require(answer.lyrics))
    let lines = lyrics.lines.filter { !$0.text.isEmpty }
    // A line without a time begins at once. Half a second later, as the server says.
    #expect(lines.map(\.text) == ["without", "Nun komm", "der Heiden"])
    #expect(lines.map { Int((($0.time ?? 0) * 1000).rounded()) } == [500, 1550, 3_723_504])
    let plain = envelope(",\"lyrics\":{\"artist\":\"A\",\"title\":\"T\",\"value\":\"one\\ntwo\"}")
    #expect(try SubsonicAnswer(plain).lyrics == "one\ntwo")
    #expect(
      try SubsonicAnswer(envelope(",\"lyricsList\":{}")).lyrics == nil && SubsonicAnswer(envelope("")).lyrics == nil)
    let extensions = envelope(",\"openSubsonicExtensions\":[{\"name\":\"songLyrics\"},{\"name\":2},3]")
    #expect(try SubsonicAnswer(extensions).extensions == ["songLyrics"])
  }

  @Test func `that are hostile give nothing, or what is good of them`() throws {
    let text = """
      ,"album":{"name":"A","song":[{"title":"no id"},{"id":{"x":1}},{"id":"v","isVideo":true},7,null,
      {"id":"a\\u0000b","title":"\\u001b[31mred\\u0000","duration":1e300,"size":-5,"bitRate":"many","track":99999999999999,
      "year":-1,"created":"yesterday","suffix":7}]}
      """
    let tracks = try SubsonicAnswer(envelope(text)).tracks
    #expect(tracks.count == 1)
    let track = try #require(tracks.first)
    #expect(track.id == "a%00b" && track.tags.first(.title) == "[31mred")
    #expect(track.duration == nil && track.byteCount == 0 && track.bitRate == nil && track.added == 0)
    #expect(track.tags.number(.track) == nil && track.tags.first(.date) == nil)
    // As Python writes the names of files that are not UTF-8.
    let name = envelope(",\"album\":{\"song\":[{\"id\":1,\"title\":\"a\\udcffb\\ud800c\\ud83d\\ude00\"}]}")
    #expect(try SubsonicAnswer(name).tracks.first?.tags.first(.title) == "a\u{fffd}b\u{fffd}c\u{1f600}")
    // A list of one without brackets, as servers write it that make JSON of XML.
    let single = envelope(",\"albumList2\":{\"album\":{\"id\":\"x\",\"songCount\":\"3\"}}")
    #expect(try SubsonicAnswer(single).albums == [.init(id: "x", trackCount: 3)])
    let large = envelope(",\"albumList2\":{\"album\":[{\"id\":7,\"songCount\":9223372036854775807}]}")
    #expect(try SubsonicAnswer(large).albums == [.init(id: "7", trackCount: 1_000_000)])
  }

  @Test(arguments: [
    ("<!DOCTYPE html><html>", "web page"), ("", "cannot be read"), ("{}", "no server of music"),
    ("[1]", "no server of music"), (String(repeating: "[", count: 100_000), "cannot be read"),
    ("{\"subsonic-response\":{\"status\":1}}", "no server of music"), ("nul\0l", "cannot be read"),
  ])
  func `that are malformed fail with a sentence`(_ text: String, _ words: String) {
    do throws(ServerFailure) {
      _ = try SubsonicAnswer(Array(text.utf8))
      Issue.record("it is no answer")
    } catch { #expect(error.description.contains(words)) }
  }

  @Test func `with errors are sentences`() {
    for (code, words) in [
      (40, "wrong user name or password"), (42, "this way to log in"), (43, "two ways"), (44, "API key"),
      (50, "does not allow"), (0, "the server says: no"),
    ] {
      do throws(ServerFailure) {
        _ = try SubsonicAnswer(failure(code))
        Issue.record("it is an error")
      } catch { #expect(error.code == code && error.description.contains(words)) }
    }
  }

  @Test func `with errors where none are to be`() {
    let bare = Array("{\"error\":{\"code\":\"40\",\"message\":\"Invalid\"}}".utf8)
    for bytes in [bare, envelope(",\"error\":{\"code\":40}")] {
      #expect(throws: ServerFailure("wrong user name or password", code: 40)) { try SubsonicAnswer(bytes) }
    }
    let proxy = Array("{\"error\":{\"code\":403,\"message\":\"Forbidden\"}}".utf8)
    #expect(throws: ServerFailure("no server of music answers at this address")) { try SubsonicAnswer(proxy) }
  }
}

/// Servers that answer as the test says.
@Suite struct `The login to a server of music` {
  /// What was asked.
  private final class Asked { var addresses: [WebAddress] = [] }
  private let asked = Asked()

  private func login(
    key: String? = nil, folders: [String] = [], _ answer: @escaping (WebAddress) -> [UInt8]
  ) throws -> SubsonicLogin.Found {
    let login = SubsonicLogin(folders: folders) { [asked] (address) throws(ServerFailure) in
      asked.addresses.append(address)
      if address.path.hasSuffix("getAlbumList2.view") {
        let albums = ",\"albumList2\":{\"album\":[{\"id\":1,\"songCount\":2},{\"id\":2,\"songCount\":3}]}"
        return envelope(field("offset", of: address) == "0" ? albums : "")
      }
      return answer(address)
    }
    if let key { return try login.login(to: base.address, key: key) }
    return try login.login(to: base.address, user: "me", password: "sesame", salt: "c19b2d")
  }

  @Test func `sends a token, and keeps that`() throws {
    let found = try login { _ in envelope(",\"type\":\"gonic\",\"serverVersion\":\"0.16\"") }
    #expect(found.account.secret == base.secret && found.trackCount == 5)
    #expect(found.description == "gonic 0.16, Subsonic 1.16.1")
    #expect(asked.addresses.allSatisfy { !$0.text.contains("sesame") && field("p", of: $0) == nil })
  }

  @Test(arguments: [10, 41]) func `sends the password where tokens are not known`(_ code: Int) throws {
    let found = try login { address in
      field("p", of: address) == nil ? failure(code, version: "1.10.2") : envelope("", version: "1.10.2")
    }
    #expect(found.account.secret == .password("sesame") && found.account.version == "1.10.2")
  }

  @Test func `speaks an older version`() throws {
    let found = try login { address in
      field("v", of: address) == "1.14.0" ? envelope("", version: "1.14.0") : failure(30, version: "1.14.0")
    }
    #expect(found.account.version == "1.14.0" && found.account.secret == base.secret)
    let old = try login { address in
      field("v", of: address) == "1.11.0" && field("p", of: address) != nil
        ? envelope("", version: "1.11.0") : failure(30, version: "1.11.0")
    }
    #expect(old.account.version == "1.11.0" && old.account.secret == .password("sesame"))
    #expect(throws: ServerFailure.self) { try login { _ in failure(30, version: "1.2.0") } }
  }

  @Test func `does not send a wrong password in another way`() {
    #expect(throws: ServerFailure("wrong user name or password", code: 40)) { try login { _ in failure(40) } }
    #expect(asked.addresses.count == 1 && asked.addresses.allSatisfy { field("p", of: $0) == nil })
  }

  @Test func `by a key asks whose it is`() throws {
    let found = try login(key: "k1") { address in
      envelope(address.path.hasSuffix("tokenInfo.view") ? ",\"tokenInfo\":{\"username\":\"me\"}" : "")
    }
    #expect(found.account.secret == .apiKey("k1") && found.account.user == "me" && found.trackCount == 5)
    #expect(asked.addresses.allSatisfy { field("apiKey", of: $0) == "k1" && field("u", of: $0) == nil })
    let nameless = try login(key: "k1") { $0.path.hasSuffix("ping.view") ? envelope("") : failure(70) }
    #expect(nameless.account.user == "")
  }

  @Test(arguments: [(44, "does not know this API key"), (10, "takes no API keys"), (40, "takes no API keys")])
  func `by a key that is refused says why`(_ code: Int, _ words: String) throws {
    do {
      _ = try login(key: "k1") { _ in failure(code) }
      Issue.record("it is an error")
    } catch { #expect("\(error)".contains(words)) }
  }

  @Test func `takes the music folders that were named`() throws {
    func found(_ names: [String]) throws -> SubsonicLogin.Found {
      asked.addresses = []
      return try login(folders: names) { address in
        envelope(
          address.path.hasSuffix("getMusicFolders.view")
            ? ",\"musicFolders\":{\"musicFolder\":[{\"id\":1,\"name\":\"Music\"},{\"id\":\"b\",\"name\":\"Live\"}]}"
            : "")
      }
    }
    let one = try found(["live"])
    #expect(one.account.folders == [.init(id: "b", name: "Live")] && one.folders.count == 2)
    let lists = asked.addresses.filter { $0.path.hasSuffix("getAlbumList2.view") }
    #expect(!lists.isEmpty && lists.allSatisfy { field("musicFolderId", of: $0) == "b" })
    #expect(try found([]).account.folders == [] && found(["all"]).account.folders == [])
    #expect(throws: ServerFailure("the server has no music folder Rock: it has Music, Live")) { try found(["Rock"]) }
  }

  @Test func `ends with a server that refuses everything`() {
    #expect(throws: ServerFailure.self) { try login { _ in failure(41) } }
    #expect(asked.addresses.count == 2)
  }
}

@Suite struct `The list of all tracks of a server` {
  private func ids(folders: [String] = [], _ ask: @escaping SubsonicLogin.Ask) throws -> [[String]] {
    var account = base
    account.folders = folders.map { .init(id: $0, name: $0) }
    var catalogue = SubsonicCatalogue(account, ask)
    var pages: [[String]] = []
    while let page = try catalogue.next() { pages.append(page.map(\.id)) }
    return pages
  }

  private func album(_ address: WebAddress) -> [UInt8] {
    let id = field("id", of: address) ?? ""
    return envelope(",\"album\":{\"id\":\"\(id)\",\"song\":[{\"id\":\"\(id)-1\"},{\"id\":\"\(id)-2\"}]}")
  }

  private func page(_ ids: Range<Int>) -> [UInt8] {
    envelope(",\"albumList2\":{\"album\":[" + ids.map { "{\"id\":\"\($0)\"}" }.joined(separator: ",") + "]}")
  }

  @Test func `comes a few albums at a time, page by page`() throws {
    let pages = try ids { (address) throws(ServerFailure) in
      guard address.path.hasSuffix("getAlbumList2.view") else { return album(address) }
      // Two at a time, whatever was asked for.
      let offset = Int(field("offset", of: address) ?? "") ?? 0
      return page(offset..<max(offset, min(offset + 2, 5)))
    }
    #expect(pages == [0..<2, 2..<4, 4..<5].map { $0.flatMap { ["\($0)-1", "\($0)-2"] } })
  }

  @Test func `of several music folders takes an album of each in turn`() throws {
    let pages = try ids(folders: ["1", "2"]) { (address) throws(ServerFailure) in
      guard address.path.hasSuffix("getAlbumList2.view") else { return album(address) }
      guard field("offset", of: address) == "0" else { return envelope("") }
      return page(field("musicFolderId", of: address) == "1" ? 0..<2 : 10..<13)
    }
    let firsts = pages.joined().filter { $0.hasSuffix("-1") }
    #expect(firsts == ["0-1", "10-1", "1-1", "11-1", "12-1"])
  }

  @Test func `ends if a page is repeated for ever`() throws {
    let pages = try ids { (address) throws(ServerFailure) in
      address.path.hasSuffix("getAlbumList2.view") ? page(0..<3) : album(address)
    }
    #expect(pages.joined().count == 6)
  }

  @Test func `has the episodes of podcasts after the albums`() throws {
    var queries: [String] = []
    let pages = try ids { (address) throws(ServerFailure) in
      switch address.path.split(separator: "/").last {
      case "getAlbumList2.view": return page(field("offset", of: address) == "0" ? 0..<7 : 0..<0)
      case "getPodcasts.view":
        queries.append((address.query ?? "").split(separator: "&f=json").dropFirst().joined())
        // All channels, whatever was asked for.
        let channels = ["p", "q", "r"].filter { $0 != "r" || field("id", of: address) == nil }.map { id in
          "{\"id\":\"\(id)\",\"episode\":[{\"streamId\":\"\(id)1\"},{\"streamId\":\"\(id)2\"}]}"
        }
        return envelope(",\"podcasts\":{\"channel\":[\(channels.joined(separator: ","))]}")
      default: return album(address)
      }
    }
    #expect(pages.map(\.count) == [12, 2, 4] && pages[2] == ["p2", "p1", "q2", "q1"])
    let asked = ["p", "q", "r"].map { "&id=\($0)&includeEpisodes=true" }
    #expect(queries == ["&includeEpisodes=false"] + asked)
  }

  @Test(arguments: [
    failure(70), failure(30), failure(0), failure(50), Array("<html>".utf8), envelope(",\"podcasts\":{}"), nil,
  ])
  func `has no podcasts where the server has none, and asks once`(_ answer: [UInt8]?) throws {
    var count = 0
    let pages = try ids { (address) throws(ServerFailure) in
      guard address.path.hasSuffix("getPodcasts.view") else {
        return address.path.hasSuffix("getAlbumList2.view") ? page(0..<1) : album(address)
      }
      count += 1
      guard let answer else { throw ServerFailure("there is nothing at this address", status: 404) }
      return answer
    }
    #expect(pages == [["0-1", "0-2"]] && count == 1)
  }

  @Test(arguments: [nil, failure(0), Array("<html>".utf8), failure(70)])
  func `is partial if a podcast cannot be had, so that none is missing`(_ episodes: [UInt8]?) throws {
    var catalogue = SubsonicCatalogue(base) { (address) throws(ServerFailure) in
      guard address.path.hasSuffix("getPodcasts.view") else {
        return address.path.hasSuffix("getAlbumList2.view") ? page(0..<1) : album(address)
      }
      guard let episodes else { throw ServerFailure("no answer") }
      return field("id", of: address) == nil ? envelope(",\"podcasts\":{\"channel\":{\"id\":7}}") : episodes
    }
    #expect(try catalogue.next()?.count == 2 && !catalogue.isPartial)
    while try catalogue.next() != nil {}
    // 70: the podcast was removed meanwhile.
    #expect(catalogue.isPartial == (episodes != failure(70)))
  }

  @Test func `lacks an album that was removed meanwhile, and fails with any other error`() throws {
    func ask(_ code: Int) -> SubsonicLogin.Ask {
      { (address) throws(ServerFailure) in
        guard address.path.hasSuffix("getAlbumList2.view") else {
          return field("id", of: address) == "1" ? failure(code) : album(address)
        }
        return page(field("offset", of: address) == "0" ? 0..<3 : 0..<0)
      }
    }
    #expect(try ids(ask(70)) == [["0-1", "0-2", "2-1", "2-2"]])
    #expect(throws: ServerFailure.self) { try ids(ask(0)) }
  }
}
