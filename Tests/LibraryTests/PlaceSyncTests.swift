import AudioModel
import ByteIO
import Database
import Testing

@testable import Library

/// Places in long tracks, here and on a server in memory.
@Suite struct `Places of a server` {
  private final class Server: ServerPlaces {
    var places: [String: ServerPlace] = [:]
    private(set) var told: [String] = []
    var keepsNothing = false
    var failure: ServerFailure?
    private(set) var questionCount = 0

    func set(_ track: String, _ seconds: Double, at time: Int64?) {
      places[track] = ServerPlace(track: ServerTrack(id: track), seconds: seconds, changed: time)
    }

    func all() throws(ServerFailure) -> [ServerPlace] {
      questionCount += 1
      if let failure { throw failure }
      return Array(places.values)
    }

    func set(_ track: String, to seconds: Double?) throws(ServerFailure) {
      told.append("\(track) \(seconds.map { "\(Int($0))" } ?? "-")")
      guard !keepsNothing else { return }
      places[track] = seconds.map { ServerPlace(track: ServerTrack(id: track), seconds: $0, changed: 5000) }
    }

    func takeTold() -> [String] {
      defer { told = [] }
      return told
    }
  }

  private let made = MadeCollection()
  private let server = Server()
  private let root = BytePath("segue://home")

  private func library() throws -> MusicLibrary {
    let library = try MusicLibrary(folder: made.data)
    try library.addServer(root, trackCount: 3)
    return library
  }

  @discardableResult
  private func compare(
    _ library: MusicLibrary, sendsOnly: Bool = false, isLong: Bool = true
  ) throws -> SyncOutcome {
    try PlaceSync(library, of: root).run(server, sendsOnly: sendsOnly) { _ in isLong }
  }

  private func leave(_ library: MusicLibrary, _ track: String, _ seconds: Double?, at time: Int64) throws {
    try ResumeStore(library).set(root.appending(BytePath(track)), to: seconds, at: time)
  }

  /// `1 600`
  private func shown(_ library: MusicLibrary) throws -> [String] {
    try ResumeStore(library).all().map { "\($0.path.lastComponent) \(Int($0.seconds))" }.sorted()
  }

  // MARK: The decision

  @Test(
    arguments: [
      // here now, kept, time, there now, kept, time
      (nil, nil, nil, nil, nil, nil, PlaceMerge.agree), (600, nil, 10, nil, nil, nil, .send),
      (nil, nil, nil, 600, nil, 10, .take), (600, nil, 10, 700, nil, 20, .take), (600, nil, 20, 700, nil, 10, .send),
      (600, nil, 20, 700, nil, nil, .send), (600, nil, nil, 700, nil, 1, .take), (600, nil, 10, 600.4, nil, 20, .agree),
      (600, 600, 10, 700, 600, 5, .take), (700, 600, 5, 600, 600, 10, .send), (nil, 600, 10, 600, 600, 20, .send),
      (600, 600, 10, nil, 600, nil, .take), (700, 600, 10, nil, 600, nil, .send), (600, 600, 10, 300, 300, 20, .agree),
    ] as [(Double?, Double?, Int64?, Double?, Double?, Int64?, PlaceMerge)])
  func `are merged by the newer change`(
    now: Double?, kept: Double?, time: Int64?, theirs: Double?, theirsKept: Double?, theirTime: Int64?,
    step: PlaceMerge
  ) {
    let here = PlaceMerge.Side(now: now, kept: kept, time: time)
    #expect(PlaceMerge(here: here, there: .init(now: theirs, kept: theirsKept, time: theirTime)) == step)
  }

  // MARK: Both ways

  @Test func `are sent once, and removed there when the track was heard`() throws {
    let library = try library()
    try compare(library)
    let count = server.questionCount
    try compare(library, sendsOnly: true)
    #expect(server.questionCount == count, "nothing has changed here")
    try leave(library, "1", 600, at: 1000)
    for _ in 0..<2 { try compare(library, sendsOnly: true) }
    try compare(library)
    #expect(server.takeTold() == ["1 600"])
    try leave(library, "1", nil, at: 2000)
    for _ in 0..<2 { try compare(library, sendsOnly: true) }
    #expect(server.takeTold() == ["1 -"] && server.places.isEmpty)
    #expect(try library.listener.integer("SELECT count(*) FROM servedPlace") == 0)
  }

  @Test func `are taken, and followed`() throws {
    let library = try library()
    server.set("2", 700, at: 1000)
    server.set("9", 70, at: 1000)
    #expect(try compare(library).takenCount == 1, "only of tracks that are known")
    #expect(try shown(library) == ["2 700"])
    server.set("2", 800, at: 2000)
    try compare(library)
    #expect(try shown(library) == ["2 800"])
    server.places["2"] = nil
    try compare(library)
    #expect(try shown(library) == [] && server.told == [])
  }

  @Test func `of both sides the newer one counts`() throws {
    let library = try library()
    try leave(library, "1", 600, at: 1000)
    try leave(library, "2", 600, at: 3000)
    for track in ["1", "2"] { server.set(track, 700, at: 2000) }
    try compare(library, sendsOnly: true)
    #expect(try shown(library) == ["1 700", "2 600"] && server.takeTold() == ["2 600"])
  }

  @Test func `of short tracks stay there`() throws {
    let library = try library()
    server.set("1", 70, at: 1000)
    for _ in 0..<2 { try compare(library, isLong: false) }
    #expect(try shown(library) == [] && server.told == [] && server.places.count == 1)
  }

  @Test func `are kept here if the server keeps none`() throws {
    let library = try library()
    server.keepsNothing = true
    try leave(library, "1", 600, at: 1000)
    for _ in 0..<3 { try compare(library) }
    #expect(try shown(library) == ["1 600"] && server.takeTold() == ["1 600"])
  }

  @Test func `stay here if the server has lost all of them`() throws {
    let library = try library()
    for (track, place) in [("1", 600.0), ("2", 700)] { server.set(track, place, at: 1000) }
    try compare(library)
    server.places = [:]
    for _ in 0..<2 { try compare(library) }
    #expect(try shown(library) == ["1 600", "2 700"] && server.told == [])
  }

  @Test func `wait for a server that does not answer, not for one without places`() throws {
    let library = try library()
    try leave(library, "1", 600, at: 1000)
    server.failure = ServerFailure("no answer")
    #expect(try compare(library, sendsOnly: true).failure != nil)
    server.failure = ServerFailure("not found", status: 404)
    #expect(try compare(library, sendsOnly: true).failure != nil, "it may be a proxy")
    server.failure = ServerFailure("not known", status: 501)
    #expect(try compare(library, sendsOnly: true) == SyncOutcome())
    server.failure = nil
    try leave(library, "1", 650, at: 2000)
    try compare(library, sendsOnly: true)
    #expect(server.takeTold() == ["1 650"])
  }
}
