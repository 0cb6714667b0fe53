import AudioModel
import ByteIO
import Library
import Playback
import SoundServerSupport
import Streaming
import Testing

@testable import Commands
@testable import Desk

/// Covers and lyrics of tracks on a server, by a desk and a server that answers as the test says.
@Suite(.serialized) struct `Covers and lyrics of a server` {
  private let folder: TemporaryFolder
  /// A PNG picture of 2 x 2 pixels.
  private static let picture: [UInt8] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 2, 0, 0, 0, 2, 8, 2,
    0, 0, 0, 0xfd, 0xd4, 0x9a, 0x73, 0, 0, 0, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0, 0x44,
    0x0c, 0x10, 0x0a, 0, 0x1f, 0xee, 3, 0xfd, 0x8b, 0x5f, 0x14, 0xd4, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42,
    0x60, 0x82,
  ]

  init() throws { folder = try TemporaryFolder() }

  /// A desk whose library has the server `home`.
  private func desk(_ server: ScriptedServer) throws -> Desk {
    let folders = UserFolders(all: BytePath(folder.path), home: BytePath(folder.path))
    let data = try #require(folders.data)
    let account = ServerAccount(
      name: "home", kind: .openSubsonic, address: WebAddress(server.address), user: "me", secret: .apiKey("k"),
      version: "1.16.1")
    var accounts = ServerAccounts(text: "")
    #expect(accounts.add(account).name == "127.0.0.1")
    try accounts.save(in: data)
    var configuration = NetworkConfiguration()
    configuration.cacheFolder = BytePath(folder("cache"))
    let servers = KnownServers(data)
    configuration.serverAddress = { track throws(NetworkError) in try LibraryServers.address(of: track, in: servers) }
    let network = Network(configuration)
    return Desk(
      folders: folders, saver: nil, collector: MediaCollector(playableExtensions: []), network: network,
      waveformFolder: nil
    ) {}
  }

  private func answer(_ desk: Desk, _ inquiry: Inquiry) -> Answer? {
    desk.ask(inquiry, from: .session(request: nil))
    var answer: Answer?
    _ = waitUntil {
      answer = desk.take(forClients: false).first?.answer
      return answer != nil
    }
    return answer
  }

  private static func send(_ text: String, _ connection: ScriptedServer.Connection) {
    let text = "{\"subsonic-response\":{\"status\":\"ok\",\"version\":\"1.16.1\"\(text)}}"
    connection.sendHead("200 OK", ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"])
    connection.send(text)
  }

  private let entry = QueueEntry(id: 1, location: .url("segue://127.0.0.1/a%2Fb"))

  @Test func `a cover is fetched in its size`() throws {
    let server = try ScriptedServer { request, connection in
      let isCover =
        request.path.hasPrefix("/rest/getCoverArt.view?apiKey=k") && request.path.contains("&id=a%2Fb&size=")
      guard isCover else { return Self.send(",\"error\":{}", connection) }
      connection.serve(Self.picture, request, type: "image/png")
    }
    let desk = try desk(server)
    let large = Inquiry.cover(entry, side: Inquiry.largeCoverSide)
    guard case .cover(_?, _, nil, 1)? = answer(desk, large) else { throw Missing("the cover") }
    let path = BytePath("segue://127.0.0.1/a%2Fb")
    for _ in 0..<2 {
      guard case .smallCover(_?, of: path, side: _)? = answer(desk, .smallCovers([path])) else {
        throw Missing("a small cover")
      }
    }
    let sizes = server.requests.map { $0.path.split(separator: "=").last.map(String.init) ?? "" }
    #expect(sizes.prefix(2) == ["512", "160"] && sizes.count <= 3)
    desk.ask(.coverPart(entry.location, isEmbedded: false, from: 0, byteCount: 1 << 16), from: .client(1))
    var part: Answer?
    _ = waitUntil {
      part = desk.take(forClients: true).first?.answer
      return part != nil
    }
    guard case .coverPart(let part)? = part else { throw Missing("the cover for clients") }
    #expect(part.bytes == Self.picture && part.mimeType == "image/png")
  }

  /// Nextcloud Music, LMS and Funkwhale know covers by their own names only.
  @Test func `a cover that has a name of its own is found`() throws {
    let server = try ScriptedServer { request, connection in
      if request.path.contains("/getCoverArt.view"), request.path.contains("&id=album%2F1&") {
        return connection.serve(Self.picture, request, type: "image/png")
      }
      let isSong = request.path.contains("/getSong.view")
      Self.send(
        isSong ? ",\"song\":{\"id\":\"a/b\",\"coverArt\":\"album/1\"}" : ",\"error\":{\"code\":70}", connection)
    }
    let desk = try desk(server)
    let path = BytePath("segue://127.0.0.1/a%2Fb")
    for _ in 0..<2 {
      guard case .smallCover(_?, of: path, side: _)? = answer(desk, .smallCovers([path])) else {
        throw Missing("the cover")
      }
    }
    let methods = server.requests.map { String($0.path.split(separator: "?")[0].dropFirst("/rest/".count)) }
    #expect(methods.count { $0 == "getSong.view" } == 1, "\(methods)")
  }

  private static let artist = BytePath("segue://127.0.0.1/a%2Fb?artist")

  /// The picture of the artist of a track, from a server that knows its artist, and answers these methods so.
  private func artistPicture(_ answers: [String: String]) throws -> (answer: Answer?, requests: [String]) {
    let server = try ScriptedServer { request, connection in
      let method = String(request.path.split(separator: "?")[0].dropFirst("/rest/".count).dropLast(".view".count))
      if method == "getCoverArt" { return connection.serve(Self.picture, request, type: "image/png") }
      let known = answers.merging(["getSong": ",\"song\":{\"id\":\"a/b\",\"artistId\":\"7\"}"]) { own, _ in own }
      if let text = known[method] { return Self.send(text, connection) }
      connection.sendHead("404 Not Found", ["Content-Length: 0"])
    }
    let answer = try answer(desk(server), .smallCovers([Self.artist]))
    return (answer, server.requests.map(\.path))
  }

  @Test func `the picture of an artist is a cover of the server`() throws {
    let artist = ",\"artist\":{\"coverArt\":\"ar/7\",\"artistImageUrl\":\"http://127.0.0.1:1/7\"}"
    let (answer, requests) = try artistPicture(["getArtist": artist])
    guard case .smallCover(_?, of: Self.artist, side: _)? = answer else { throw Missing("the picture") }
    let ids = requests.prefix(3).map { $0.split(separator: "&f=json").last.map(String.init) }
    #expect(ids == ["&id=a%2Fb", "&id=7", "&id=ar%2F7&size=160"], "\(requests)")
  }

  @Test func `or lies where the server says, which is not told what opens the server`() throws {
    let other = try ScriptedServer { request, connection in
      connection.serve(Self.picture, request, type: "image/png")
    }
    func info(_ address: String) -> [String: String] {
      ["getArtistInfo2": ",\"artistInfo2\":{\"largeImageUrl\":\"\(address)\"}"]
    }
    let (answer, _) = try artistPicture(info(other.address + "/7.png"))
    guard case .smallCover(_?, of: Self.artist, side: _)? = answer else { throw Missing("the picture") }
    #expect(other.requests.allSatisfy { $0.path == "/7.png" } && !other.requests.isEmpty)
  }

  @Test(arguments: ["http://127.0.0.1:1/7?apiKey=k", "file:///etc/passwd", "segue://127.0.0.1/7", "", "\\u0007"])
  func `or is none`(address: String) throws {
    let text = ",\"artist\":{\"coverArt\":{},\"artistImageUrl\":\"\(address)\"}"
    let (answer, requests) = try artistPicture(["getArtist": text])
    #expect(answer == .smallCover(nil, of: Self.artist) && requests.count == 3, "\(requests)")
  }

  @Test func `a track without a cover has none`() throws {
    let server = try ScriptedServer { _, connection in Self.send(",\"error\":{\"code\":70}", connection) }
    #expect(try answer(desk(server), .cover(entry)) == .cover(nil, entryID: 1))
  }

  @Test func `a server that is added by a name and a password is told of ratings`() throws {
    let server = try ScriptedServer { request, connection in
      let list = "/rest/getAlbumList2.view", album = "/rest/getAlbum.view"
      switch request.path.split(separator: "?")[0] {
      case list[...]: Self.send(",\"albumList2\":{\"album\":[{\"id\":\"a\",\"songCount\":1}]}", connection)
      case album[...]: Self.send(",\"album\":{\"name\":\"A\",\"song\":[{\"id\":\"7\",\"title\":\"T\"}]}", connection)
      default: Self.send("", connection)
      }
    }
    let folders = UserFolders(all: BytePath(folder.path), home: BytePath(folder.path))
    let desk = Desk(
      folders: folders, saver: nil, collector: MediaCollector(playableExtensions: []), network: Network(),
      waveformFolder: nil
    ) {}
    let secret = TypedSecret("sesame")
    var said: [String] = []
    func sees(_ text: String) -> Bool {
      waitUntil {
        for case (_, .said(let text)) in desk.take(forClients: false) { said.append(text) }
        return said.contains { $0.contains(text) }
      }
    }
    desk.ask(
      .library(.addServer(WebAddress(server.address + "/"), user: "me", secret)), from: .session(request: nil))
    #expect(sees("segue://127.0.0.1: a server, Subsonic 1.16.1, 1 track") && sees("scan: 1 file"), "\(said)")
    desk.ask(
      .library(.rate(.set(8), [BytePath("segue://127.0.0.1/7")])), from: .session(request: nil))
    func rating() -> String? { server.requests.map(\.path).first { $0.contains("/setRating.view") } }
    #expect(waitUntil { rating() != nil })
    #expect(rating()?.hasSuffix("&id=7&rating=4") == true && rating()?.contains("u=me&t=") == true)
    desk.finish()
  }

  private func lyrics(_ desk: Desk) -> String? {
    var information = MediaInformation()
    (information.tags.title, information.tags.artist) = ("Aria", "Bach")
    let inquiry = Inquiry.onlineLyrics(LyricsInquiry(entry, information), from: nil)
    guard case .lyrics(let files, entryID: 1)? = answer(desk, inquiry) else { return nil }
    return files.online
  }

  @Test func `synced lyrics are asked for where the server has them`() throws {
    let server = try ScriptedServer { request, connection in
      let isList = request.path.contains("getOpenSubsonicExtensions")
      Self.send(
        isList
          ? ",\"openSubsonicExtensions\":[{\"name\":\"songLyrics\",\"versions\":[1]}]"
          : ",\"lyricsList\":{\"structuredLyrics\":[{\"synced\":true,\"line\":[{\"start\":1000,\"value\":\"Nun komm\"}]}]}",
        connection)
    }
    let desk = try desk(server)
    for _ in 0..<2 { #expect(lyrics(desk) == "[offset:0]\n[0:1.000]Nun komm") }
    let methods = server.requests.map { $0.path.split(separator: "?")[0] }
    let (extensions, songs) = ("/rest/getOpenSubsonicExtensions.view", "/rest/getLyricsBySongId.view")
    #expect(methods.map(String.init) == [extensions, songs, songs])
    #expect(server.requests.last?.path.hasSuffix("&id=a%2Fb") == true)
  }

  @Test func `an older server is asked by artist and title`() throws {
    let server = try ScriptedServer { request, connection in
      guard request.path.contains("getLyrics.view") else {
        connection.sendHead("404 Not Found", ["Content-Length: 0"])
        return
      }
      Self.send(",\"lyrics\":{\"value\":\"Nun komm\"}", connection)
    }
    #expect(try lyrics(desk(server)) == "Nun komm")
    #expect(server.requests.last?.path.hasSuffix("&artist=Bach&title=Aria") == true)
  }
}

private struct Missing: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
