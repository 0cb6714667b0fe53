import ByteIO
import Playback
import Testing

@testable import Commands
@testable import Player

/// The answers of the queue to the engine, without an engine.
struct QueueFeedTests {
  private let initial: QueueFeed
  private let ids: [Int]

  init() {
    var feed = QueueFeed()
    feed.queue.append(["a", "b", "c"].map { .file(BytePath("/m/\($0).mp3")) })
    feed.queue.next()
    (initial, ids) = (feed, feed.queue.entries.map(\.id))
  }

  private func entry(_ index: Int) -> QueueEntry { initial.queue.entries[index] }

  @Test func `a needed successor is sent, and sent again when the queue changes`() {
    var feed = initial
    let first = feed.handle([.needsNext(after: ids[0])], opened: [ids[0]])
    #expect(first == [.send(.setNext(entry(1), after: ids[0]))])
    let second = feed.edit(opened: [ids[0]]) { $0.apply(.remove([ids[1]])) }
    #expect(second == [.showQueue, .send(.setNext(entry(2), after: ids[0]))])
  }

  @Test func `a change sends the successor of every entry that the engine has opened`() {
    var feed = initial
    _ = feed.handle([.trackBegan(entry(1))], opened: [ids[1]])
    #expect(feed.queue.current?.id == ids[1])
    let effects = feed.changeModes(opened: [ids[1], ids[2]]) { $0.repeatMode = .all }
    #expect(
      effects == [
        .showQueue, .send(.setNext(entry(2), after: ids[1])), .send(.setNext(entry(0), after: ids[2])),
      ])
  }

  @Test func `an entry that was removed has a successor only while it plays`() {
    var feed = initial
    let effects = feed.edit(opened: [ids[0], ids[1]]) {
      $0.apply(.remove([ids[0]]))
      $0.apply(.remove([ids[1]]))
    }
    #expect(effects == [.showQueue, .send(.setNext(entry(2), after: ids[0]))])
  }

  @Test func `an entry that fails does not follow another`() {
    var feed = initial
    let failure = PlaybackNotice.trackFailed(entry(1), .nothingDecodable(TrackDamage()))
    let effects = feed.handle([failure, .needsNext(after: ids[0])], opened: [ids[0]])
    #expect(effects == [.send(.setNext(entry(2), after: ids[0]))])
  }

  @Test func `a playlist is replaced by its entries, and its first entry follows`() {
    var feed = initial
    let locations = ["x", "y"].map { MediaLocation.file(BytePath("/m/\($0).mp3")) }
    let playlist = entry(1)
    let effects = feed.handle(
      [.foundPlaylist(playlist, locations), .needsNext(after: playlist.id)], opened: [playlist.id])
    #expect(feed.queue.entries.map(\.location.name) == ["a.mp3", "x.mp3", "y.mp3", "c.mp3"])
    #expect(effects == [.showQueue, .send(.setNext(feed.queue.entries[1], after: playlist.id))])
  }

  @Test func `a stop after the track moves to the next entry`() {
    var feed = initial
    _ = feed.changeModes(opened: []) { $0.stopPoint = .track }
    let effects = feed.handle([.state(.stopped, .finished, position: 0)], opened: [])
    #expect(effects == [.stopped(.track), .showQueue])
    #expect(feed.queue.current?.id == ids[1] && !feed.queue.stopsAfterCurrent)
  }

  @Test func `a stop after the album is one after its last entry`() {
    var feed = initial
    let order = feed.changeModes(opened: [ids[0]]) { $0.stopPoint = .album }
    #expect(order == [.showQueue, .send(.setNext(entry(1), after: ids[0])), .readTags(ids)])
    // Switched off and on while the tags are read.
    for point in [PlayQueue.StopPoint.none, .album] { _ = feed.changeModes(opened: []) { $0.stopPoint = point } }
    var facts = TrackFacts()
    for (place, album) in ["A", "A", "B"].enumerated() {
      facts.album = album
      let effects = feed.note(facts, of: ids[place], opened: [ids[0], ids[1]])
      let stop = [QueueFeed.Effect.send(.setNext(entry(1), after: ids[0])), .send(.setNext(nil, after: ids[1]))]
      #expect(effects == (place == 2 ? stop : []))
    }
    #expect(feed.queue.albumEnd == ids[1] && !feed.queue.stopsAfterCurrent)
    #expect(feed.handle([.trackBegan(entry(1))], opened: [ids[1]]).isEmpty && feed.queue.stopsAfterCurrent)
    #expect(feed.handle([.state(.stopped, .finished, position: 0)], opened: []) == [.stopped(.album), .showQueue])
    #expect(feed.queue.current?.id == ids[2] && feed.queue.stopPoint == .none)
  }

  @Test func `a track is consumed when the next one begins, and comes back by undo`() {
    var feed = initial
    _ = feed.changeModes(opened: []) { $0.consumption = .on }
    #expect(feed.handle([.trackBegan(entry(0))], opened: [ids[0]]).isEmpty)
    let effects = feed.handle([.trackBegan(entry(1))], opened: [ids[1]])
    #expect(effects == [.showQueue, .send(.setNext(entry(2), after: ids[1]))])
    #expect(feed.queue.entries.map(\.id) == [ids[1], ids[2]] && feed.queue.current?.id == ids[1])
    _ = feed.undo(playing: ids[1], opened: [ids[1]])
    #expect(feed.queue.entries.map(\.id) == ids && feed.queue.current?.id == ids[1])
  }

  @Test func `the last track is consumed at its end, and one that is stopped stays`() {
    var feed = initial
    _ = feed.changeModes(opened: []) { $0.consumption = .on }
    _ = feed.handle([.trackBegan(entry(0)), .state(.stopped, .user, position: 0)], opened: [])
    _ = feed.handle([.trackBegan(entry(2))], opened: [ids[2]])
    #expect(feed.queue.entries.map(\.id) == ids)
    #expect(feed.handle([.state(.stopped, .finished, position: 0)], opened: []) == [.showQueue])
    #expect(feed.queue.entries.map(\.id) == [ids[0], ids[1]])
  }

  @Test func `a track that is left for another place stays, and one that is left for the next goes`() {
    var feed = initial
    _ = feed.changeModes(opened: []) { $0.consumption = .once }
    _ = feed.handle([.trackBegan(entry(0))], opened: [ids[0]])
    let chosen = feed.jump { $0.select(index: 2) }
    _ = feed.handle([.trackBegan(entry(2))], opened: [ids[2]])
    #expect(chosen == entry(2) && feed.queue.entries.map(\.id) == ids && feed.queue.consumption == .once)
    let back = feed.jump { $0.select(index: 1) }
    _ = feed.handle([.trackBegan(entry(1))], opened: [ids[1]])
    feed.queue.next()
    _ = feed.handle([.trackBegan(entry(2))], opened: [ids[2]])
    #expect(back == entry(1) && feed.queue.entries.map(\.id) == [ids[0], ids[2]] && feed.queue.consumption == .off)
  }

  @Test func `a track that failed is not consumed`() {
    var feed = initial
    _ = feed.changeModes(opened: []) { $0.consumption = .on }
    let failure = PlaybackNotice.trackFailed(entry(1), .nothingDecodable(TrackDamage()))
    _ = feed.handle([.trackBegan(entry(0)), failure, .trackBegan(entry(2))], opened: [ids[2]])
    #expect(feed.queue.entries.map(\.id) == [ids[1], ids[2]])
  }

  @Test func `a stop after each track stays`() {
    var feed = initial
    _ = feed.changeModes(opened: []) { $0.stopPoint = .each }
    for place in 0..<2 {
      let effects = feed.handle(
        [.trackBegan(entry(place)), .state(.stopped, .finished, position: 0)], opened: [])
      #expect(effects == [.stopped(.each), .showQueue] && feed.queue.current?.id == ids[place + 1])
    }
    #expect(feed.queue.stopPoint == .each)
  }

  @Test func `there is nothing to undo at first`() {
    var feed = initial
    let (undone, redone) = (feed.undo(playing: nil, opened: []), feed.redo(playing: nil, opened: []))
    #expect(undone == nil && redone == nil)
  }
}
