import AudioModel
import ByteIO
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Albums of the queue, and its orders.
struct QueueAlbumTests {
  private func entry(_ id: Int, _ path: String) -> QueueEntry { QueueEntry(id: id, location: .file(BytePath(path))) }

  /// Two albums by tags in one folder, one by its folder, a station.
  private func bench() -> Bench {
    var bench = Bench(
      entries: [
        entry(1, "/m/1.mp3"), entry(2, "/m/2.mp3"), entry(3, "/m/3.mp3"), entry(4, "/x/10.mp3"), entry(5, "/x/2.mp3"),
        QueueEntry(id: 6, location: .url("http://a/")),
      ])
    bench.send(.facts(facts("C", "Zoe", "First", 30), entryID: 1))
    bench.send(.facts(facts("a", "Zoe", "First", 10), entryID: 2))
    bench.send(.facts(facts("B", "Äh", "Second", 20), entryID: 3))
    var map = KeyMap.standard
    for (keys, action) in [("D", .removeAlbum), ("y", .moveAlbum(1)), ("U", .moveAlbum(-1))] as [(KeySequence, Action)]
    {
      map.bind(keys, to: action)
    }
    bench.send(.configured(Configuration(keyMap: map)))
    return bench
  }

  @Test func `an album is the neighbours with its tags, without tags those in its folder`() {
    var bench = bench()
    bench.press("g")
    #expect(bench.press("D") == [.player(.edit(.remove([1, 2])))])
    #expect(bench.press("j", "D") == [.player(.edit(.remove([1, 2])))])
    #expect(bench.press("j", "D") == [.player(.edit(.remove([3])))])
    #expect(bench.press("j", "D") == [.player(.edit(.remove([4, 5])))])
    #expect(bench.press("G", "D") == [.player(.edit(.remove([6])))])
    bench.press("g", "A")
    #expect(bench.state.shownPane.list.chosenRows == [0, 1])
    #expect(bench.press("d") == [.player(.edit(.remove([1, 2])))])
  }

  @Test func `an album moves past the next one`() {
    var bench = bench()
    let (down, up): (Key, Key) = ("y", "U")
    #expect(bench.press("g", down) == [.player(.edit(.move([1, 2], by: 1)))])
    #expect(
      bench.press("j", "j", down, up) == [
        .player(.edit(.move([3], by: 2))), .player(.edit(.move([3], by: -2))),
      ])
    #expect(bench.press("g", up) == [])
    #expect(bench.message == " No album before this one")
    bench.press("?")
    #expect(bench.press(down) == [])
  }

  @Test(
    arguments: [
      (.path, [1, 2, 3, 5, 4, 6]), (.title, [2, 3, 1, 4, 5, 6]), (.artist, [3, 1, 2, 4, 5, 6]),
      (.album, [1, 2, 3, 4, 5, 6]), (.duration, [2, 3, 1, 4, 5, 6]),
    ] as [(QueueOrder, [Int])])
  func `the queue is sorted when the tags are known`(order: QueueOrder, ids: [Int]) {
    var bench = bench()
    var commands = bench.state.handle(.sort(order))
    if order != .path {
      // Requested, unless that was before.
      if case .player(.ask(.facts(let asked)))? = commands.first { #expect(asked.map(\.id) == [4, 5, 6]) }
      #expect(commands.count < 2)
      #expect(bench.send(.facts(TrackFacts(failure: .nothingDecodable(TrackDamage())), entryID: 4)) == [])
      #expect(bench.send(.facts(facts("x", nil, nil, nil), entryID: 5)) == [])
      commands = bench.send(.facts(TrackFacts(), entryID: 6))
    }
    // Unknown titles are the names of the files: 10.mp3, x, http://a/.
    let expected = order == .title ? [4, 2, 3, 1, 6, 5] : ids
    #expect(commands == [.player(.edit(.order(expected)))])
    #expect(bench.send(.facts(TrackFacts(), entryID: 6)) == [], "once")
  }

  @Test func `tracks of an album stay in its order`() {
    var bench = Bench(entries: (1...3).map { entry($0, "/m/\($0).mp3") })
    for (id, number) in [(1, 3), (2, 1), (3, 2)] {
      var facts = facts("Same", "Zoe", "Album", 1)
      facts.trackNumber = number
      bench.send(.facts(facts, entryID: id))
    }
    #expect(bench.state.handle(.sort(.album)) == [.player(.edit(.order([2, 3, 1])))])
    #expect(bench.state.handle(.sort(.artist)) == [.player(.edit(.order([2, 3, 1])))])
  }

  @Test func `only marked rows are sorted, and a removed entry is not waited for`() {
    var bench = bench()
    bench.press("g", "M", "M", "M")
    #expect(bench.state.handle(.sort(.title)) == [.player(.edit(.order([2, 3, 1])))])
    #expect(bench.state.handle(.sort(.shuffle)) == [.player(.edit(.shuffle([1, 2, 3])))])
    bench.press(Key(.escape))
    _ = bench.state.handle(.sort(.duration))
    #expect(
      bench.send(.queue([entry(1, "/m/1.mp3"), entry(3, "/m/3.mp3")])) == [.player(.edit(.order([3, 1])))])
  }

  @Test(arguments: QueueOrder.allCases) func `each order has a command`(order: QueueOrder) throws {
    #expect(try Action.parse("sort \(order.rawValue)") == .sort(order))
    #expect(throws: CommandError.self) { try Action.parse("sort") }
  }
}
