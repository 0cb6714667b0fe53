import AudioModel
import ByteIO
import Glibc
import Library
import Playback
import SoundServerSupport
import Streaming
import Testing

@testable import Commands
@testable import Desk

/// Music like other music, by a desk and a server with an album of four tracks.
@Suite(.serialized) struct `Music that is like other music` {
  private let folder: TemporaryFolder
  private static let refusal = ",\"error\":{\"code\":0,\"message\":\"Unknown method\"}"

  init() throws { folder = try TemporaryFolder() }

  /// A server that answers these methods so. It does not know other methods of this kind.
  private func serve(_ answers: [String: String]) throws -> ScriptedServer {
    let songs = (1...4).map { "{\"id\":\"\($0)\",\"title\":\"Song \($0)\",\"artist\":\"Bach\"}" }
    let known = [
      "getAlbumList2": ",\"albumList2\":{\"album\":[{\"id\":\"a\",\"songCount\":4}]}",
      "getAlbum":
        ",\"album\":{\"id\":\"a\",\"name\":\"A\",\"artist\":\"Bach\",\"song\":[\(songs.joined(separator: ","))]}",
      "getSong": ",\"song\":{\"id\":\"1\",\"artistId\":\"b/1\"}",
    ].merging(answers) { $1 }
    return try ScriptedServer { request, connection in
      let method = request.path.split(separator: "?")[0].dropFirst("/rest/".count).dropLast(".view".count)
      let isKnown = known[String(method)] != nil || !method.contains("Similar")
      let text = known[String(method)] ?? ""
      let status = text.contains("\"error\"") ? "failed" : "ok"
      let body = "{\"subsonic-response\":{\"status\":\"\(status)\",\"version\":\"1.16.1\"\(text)}}"
      connection.sendHead(isKnown ? "200 OK" : "404 Not Found", ["Content-Length: \(body.utf8.count)"])
      connection.send(body)
    }
  }

  /// A desk whose library has the tracks of a server.
  private func desk(_ address: String, password: String = "sesame", in name: String = "home") throws -> Desk {
    try #require(mkdir(folder(name), 0o700) == 0)
    let folders = UserFolders(all: BytePath(folder(name)), home: BytePath(folder(name)))
    let desk = Desk(
      folders: folders, saver: nil, collector: MediaCollector(playableExtensions: ["mp3"]), network: Network(),
      waveformFolder: nil
    ) {}
    let request = LibraryRequest.addServer(WebAddress(address + "/"), user: "me", TypedSecret(password))
    desk.ask(.library(request), from: .session(request: nil))
    var said: [String] = []
    let isScanned = waitUntil {
      for case (_, .said(let text)) in desk.take(forClients: false) { said.append(text) }
      return said.contains { $0.hasPrefix("scan: ") }
    }
    try #require(isScanned, "\(said)")
    return desk
  }

  /// The IDs of the tracks that come into the queue and the sentence about them, or the reason why none come.
  private func similar(to source: PlaylistRequest.Source, _ desk: Desk) throws -> String {
    desk.ask(.library(.similar(source, .turn(.end))), from: .session(request: 7))
    var answer: Answer?
    let isAnswered = waitUntil {
      answer = desk.take(forClients: false).first { $0.asker == .session(request: 7) }?.answer
      return answer != nil
    }
    try #require(isAnswered)
    switch answer {
    case .collected(let collection, .turn(.end), from: _):
      let names = collection.entries.map { $0.location.libraryPath?.lastComponent.description ?? "?" }
      return names.joined(separator: " ") + ": " + (collection.match ?? "")
    case .acted(.refused(let reason)): return reason
    default: return "\(String(describing: answer))"
    }
  }

  private let aria = PlaylistRequest.Source.entries([
    CollectedEntry(location: .url("segue://127.0.0.1/1"), title: "Aria")
  ])

  /// - Parameter name: Of a folder of its own.
  private func similar(_ answers: [String: String], in name: String = "other") throws -> String {
    let server = try serve(answers)
    let desk = try desk(server.address, in: name)
    defer { desk.finish() }
    return try similar(to: aria, desk)
  }

  @Test func `comes in the server's order, and what the library does not have is counted`() throws {
    let songs = ["\"1\"", "\"3\"", "\"x\"", "\"3\"", "2", "{}"].map { "{\"id\":\($0)}" }.joined(separator: ",")
    let server = try serve(["getSimilarSongs": ",\"similarSongs\":{\"song\":[7,\(songs)]}"])
    let desk = try desk(server.address)
    defer { desk.finish() }
    #expect(try similar(to: aria, desk) == "3 2: music like Aria (1 more is not in the library)")
    let requests = server.requests.map(\.path).filter { $0.contains("Similar") }
    #expect(requests.count == 1 && requests[0].hasPrefix("/rest/getSimilarSongs.view?u=me&t="), "\(requests)")
    #expect(requests[0].hasSuffix("&f=json&id=1&count=50"), "\(requests)")
  }

  @Test func `is asked for by the artist for an artist, and where a track has none`() throws {
    let byArtist = ["getSimilarSongs2": ",\"similarSongs2\":{\"song\":{\"id\":\"4\"}}"]
    let server = try serve(byArtist)
    let desk = try desk(server.address)
    defer { desk.finish() }
    #expect(try similar(to: .lists([.albumsOf(artist: "Bach")]), desk) == "4: music like Bach")
    let requests = server.requests.map(\.path).filter { $0.contains("Similar") }
    #expect(requests.count == 1 && requests[0].hasSuffix("&id=b%2F1&count=50"), "\(requests)")
    #expect(try similar(to: aria, desk) == "4: music like Aria", "the server does not know getSimilarSongs")
    let empty = byArtist.merging(["getSimilarSongs": ",\"similarSongs\":{}"]) { $1 }
    #expect(try similar(empty) == "4: music like Aria")
  }

  @Test func `has artists whose page names a picture`() throws {
    let server = try serve([:])
    let desk = try desk(server.address)
    defer { desk.finish() }
    desk.ask(.library(.list(.albumsOf(artist: "Bach"))), from: .session(request: nil))
    var listing: LibraryListing?
    _ = waitUntil {
      for case (_, .library(.list(let list))) in desk.take(forClients: false) { listing = list }
      return listing != nil
    }
    #expect(listing?.artistPicture?.description.wholeMatch(of: /segue:\/\/127.0.0.1\/[1-4]\?artist/) != nil)
    #expect(listing?.heading == ["Bach", "1 album", "4 tracks"])
  }

  @Test func `is asked for by the sound where the server offers that`() throws {
    let extensions = ",\"openSubsonicExtensions\":[{\"name\":\"sonicSimilarity\",\"versions\":[1]}]"
    let bySound = ",\"sonicMatch\":[{\"entry\":{\"id\":\"2\"},\"similarity\":0.9}]"
    #expect(
      try similar(["getOpenSubsonicExtensions": extensions, "getSonicSimilarTracks": bySound])
        == "2: music like Aria")
  }

  @Test func `is not found without a server that knows it`() throws {
    let none = "127.0.0.1 is a server that does not find similar music"
    let strangers = ",\"similarSongs\":{\"song\":[{\"id\":\"x\"},{\"id\":\"y\"}]}"
    let refused: [([String: String], String)] = [
      ([:], none), (["getSimilarSongs": Self.refusal, "getSimilarSongs2": Self.refusal], none),
      (["getSimilarSongs": ",\"similarSongs\":7"], "127.0.0.1 knows no music like Aria"),
      (
        ["getSimilarSongs": strangers],
        "127.0.0.1 knows no music like Aria but 2 tracks that the library does not have"
      ),
      (
        ["getSimilarSongs": ",\"error\":{\"code\":40}"],
        "127.0.0.1 does not find music like Aria: wrong user name or password"
      ),
    ]
    for (place, (answers, reason)) in refused.enumerated() {
      #expect(try similar(answers, in: "\(place)") == reason)
    }
    let server = try serve([:])
    let desk = try desk(server.address)
    defer { desk.finish() }
    let file = CollectedEntry(location: .file(BytePath("/m/a.mp3")), title: "Air")
    #expect(try similar(to: .entries([file]), desk) == "Air is on no server: only servers know similar music")
    #expect(try similar(to: .lists([.genres]), desk).hasPrefix("music can be like a track, an album or an artist"))
  }

  @Test(.enabled(if: Supysonic.isInstalled, "no supysonic"))
  func `is nothing that supysonic knows, which is said`() throws {
    try #require(mkdir(folder("music"), 0o700) == 0)
    try write(
      madeMP3(sound: 1, [("TIT2", "Aria"), ("TPE1", "Bach"), ("TALB", "A")], frames: 77), to: folder("music/1.mp3"))
    let server = try Supysonic(serving: folder("music"))
    let desk = try desk(server.address, password: Supysonic.password)
    defer { desk.finish() }
    let reason = "127.0.0.1 is a server that does not find similar music"
    #expect(try similar(to: .lists([.albumsOf(artist: "Bach")]), desk) == reason)
  }

  @Test func `is read from any answer`() throws {
    func names(_ text: String) throws -> [String] {
      try SubsonicAnswer(Array("{\"subsonic-response\":{\"status\":\"ok\"\(text)}}".utf8)).similar
    }
    #expect(try names(",\"sonicSimilarTracks\":{\"sonicMatch\":[{\"id\":\"a/b\",\"similarity\":1}]}") == ["a%2Fb"])
    for text in [
      "", ",\"similarSongs\":[]", ",\"similarSongs2\":{\"song\":\"x\"}", ",\"sonicMatch\":[{\"entry\":7}]",
      ",\"similarSongs\":{\"song\":[{\"id\":\"v\",\"isVideo\":true},{\"id\":\"\"}]}",
    ] {
      #expect(try names(text) == [], "\(text)")
    }
    let many = (0..<5000).map { "{\"id\":\"\($0)\"}" }.joined(separator: ",")
    #expect(try names(",\"similarSongs\":{\"song\":[\(many)]}").count == 1000)
  }
}
