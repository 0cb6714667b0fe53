import AudioModel
import ByteIO
import Database
import Testing

@testable import Library

/// Play queues that servers keep.
@Suite struct `Queues of a server` {
  private let made = MadeCollection()
  private let root = BytePath("segue://home")

  private func library() throws -> MusicLibrary {
    let library = try MusicLibrary(folder: made.data)
    try library.addServer(root, trackCount: 3)
    return library
  }

  /// `home from Phone: 3 1`
  private func offers(_ library: MusicLibrary) throws -> [String] {
    let view = try library.view()
    return view.queueOffers.map { offer in
      let tracks = view.tracks(ofQueueOn: offer.server).map { view.track($0).path.lastComponent.description }
      return "\(offer.server) from \(offer.program ?? "-"): \(tracks.joined(separator: " "))"
    }
  }

  private let queue = ServerQueue(tracks: ["3", "9", "1"], seconds: 61, changed: 2000, program: "Phone")

  @Test func `are offered with the tracks that are known`() throws {
    let library = try library()
    try ServerQueues(library).take(queue, of: root)
    #expect(try offers(library) == ["home from Phone: 3 1"])
    try ServerQueues(library).take(nil, of: root)
    #expect(try offers(library) == [])
  }

  @Test func `go on at the place of the other program, unless its track is not known here`() throws {
    let library = try library()
    try ServerQueues(library).take(queue, of: root)
    let view = try library.view()
    let start = try #require(view.start(ofQueueOn: "home"))
    #expect(view.track(start.track).path.lastComponent.description == "3" && start.seconds == 61)
    #expect(view.queueOffers.map(\.unknownCount) == [1])
    var other = queue
    other.tracks = ["9", "1"]
    try ServerQueues(library).take(other, of: root)
    #expect(try offers(library) == ["home from Phone: 1"])
    #expect(try library.view().start(ofQueueOn: "home") == nil)
  }

  @Test func `that are older than the last play, or without a time, are not offered`() throws {
    let library = try library()
    try library.recordPlay(of: root.appending(BytePath("1")), heard: 60, duration: 60, isSkip: false, at: 2001)
    try ServerQueues(library).take(queue, of: root)
    #expect(try offers(library) == [])
    var newer = queue
    newer.changed = 2002
    try ServerQueues(library).take(newer, of: root)
    #expect(try offers(library).count == 1)
    newer.changed = nil
    try ServerQueues(library).take(newer, of: root)
    #expect(try offers(library) == [])
  }

  @Test func `for a server wait over a restart, the newest only, until they are sent`() throws {
    let library = try library()
    let queues = ServerQueues(library)
    try queues.keep(ServerQueue(tracks: ["1"], seconds: 5), for: root, at: 2500)
    let first = try #require(try queues.waiting(for: root))
    let newest = ServerQueue(tracks: ["2", "a%20b"], seconds: 6.25, changed: 2560)
    try queues.keep(newest, for: root, at: 2560)
    try queues.finish(first, for: root)
    #expect(try ServerQueues(MusicLibrary(folder: made.data)).waiting(for: root) == newest)
    #expect(try queues.waiting(for: BytePath("segue://other")) == nil)
    try queues.take(queue, of: root)
    #expect(try offers(library) == [], "it is older")
    try queues.finish(newest, for: root)
    #expect(try queues.waiting(for: root) == nil)
  }

  @Test func `that were sent from here are not later, whatever the clock of the server says`() throws {
    let queues = ServerQueues(try library())
    let waiting = ServerQueue(tracks: ["2"], seconds: 7, changed: 1060)
    func isLater(_ seconds: Double) throws -> Bool {
      let theirs = ServerQueue(tracks: ["1"], seconds: seconds, changed: 1300)
      return try queues.isLater(theirs, than: waiting, on: root)
    }
    #expect(try isLater(5))
    try queues.noteSent(ServerQueue(tracks: ["1", "2"], seconds: 5, changed: 1000), to: root)
    #expect(try !isLater(5.4), "the server takes only the first track")
    #expect(try isLater(60), "another program has gone on")
    for number in 0..<20 { try queues.noteSending(ServerQueue(tracks: ["3"], seconds: Double(number)), to: root) }
    #expect(try !isLater(5), "none of the others need have arrived")
    try queues.noteSent(waiting, to: root)
    #expect(try isLater(5))
  }

  @Test func `that were sent from here are not offered, and end an offer`() throws {
    let library = try library()
    try ServerQueues(library).take(queue, of: root)
    try ServerQueues(library).noteSent(ServerQueue(tracks: ["1", "2"], seconds: 0), to: root)
    #expect(try offers(library) == [])
    try ServerQueues(library).take(
      ServerQueue(tracks: ["1", "2"], seconds: 5, changed: 3000, program: "segue"), of: root)
    #expect(try offers(library) == [])
    try ServerQueues(library).take(ServerQueue(tracks: ["2"], seconds: 5, changed: 3000), of: root)
    #expect(try offers(library) == ["home from -: 2"], "another program has gone on")
    #expect(try library.forgetRoot(root))
    #expect(try offers(library) == [])
  }
}
