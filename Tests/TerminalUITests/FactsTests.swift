import AudioModel
import ByteIO
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

struct FactsTests {
  /// Tags at the end of a file (ID3v1, APE) are known to the list before the player has read that far.
  @Test func `a name that is known does not vanish because the player does not know it yet`() {
    var state = ScreenState(size: Size(columns: 60, rows: 10), typography: .ascii)
    let entry = QueueEntry(id: 7, location: .file(BytePath("/a/b.mp3")))
    var named = MediaInformation()
    named.tags.title = "Aria"
    named.tags.artist = "Bach"
    _ = update(&state, with: .queue([entry]), at: .zero + .milliseconds(1))
    _ = update(&state, with: .answer(.facts(TrackFacts(named), entryID: 7)), at: .zero + .milliseconds(2))
    var snapshot = PlaybackSnapshot()
    (snapshot.state, snapshot.entry) = (.playing, entry)
    snapshot.information.duration = 61
    _ = update(&state, with: .playback(snapshot), at: .zero + .milliseconds(3))
    #expect(state.model.facts[7]?.title == "Aria")
    #expect(state.model.facts[7]?.artist == "Bach")
    #expect(state.model.facts[7]?.duration == 61)
  }

  @Test func `the title that a station sends is the name of the track`() {
    var state = ScreenState(size: Size(columns: 60, rows: 10), typography: .ascii)
    let entry = QueueEntry(id: 7, location: .url("http://me:secret@host/live"))
    _ = update(&state, with: .queue([entry]), at: .zero + .milliseconds(1))
    var snapshot = PlaybackSnapshot()
    (snapshot.state, snapshot.entry) = (.playing, entry)
    snapshot.stream = StreamFacts(isLive: true)
    _ = update(&state, with: .playback(snapshot), at: .zero + .milliseconds(3))
    #expect(state.model.trackName == "http://host/live")
    snapshot.stream?.title = "Artist - It's"
    _ = update(&state, with: .playback(snapshot), at: .zero + .milliseconds(4))
    #expect(state.model.trackName == "Artist - It's")
  }

  @Test func `a failed track keeps its mark until it plays`() {
    var bench = Bench.playing()
    bench.send(.facts(TrackFacts(failure: .nothingDecodable(TrackDamage())), entryID: 1))
    #expect(bench.lines[4].hasPrefix(" !  1  Aria") && bench.lines[4].hasSuffix("failed"))
    bench.send(.facts(TrackFacts(), entryID: 1))
    #expect(bench.lines[3].hasPrefix(" !  1 "), "tags that are read later do not mend it")
    bench.send(.facts(albumFacts[1] ?? TrackFacts(), entryID: 1))
    bench.show(snapshot(entry: album[0], position: 0, duration: 118, at: bench.now))
    #expect(bench.lines[4].hasPrefix(" >  1  Variatio 1.") && bench.lines[4].hasSuffix("1:58"))
  }

  @Test func `a station has its own name, and Info shows its title`() {
    let station = QueueEntry(id: 7, location: .url("http://host/live"))
    var bench = Bench(entries: [station])
    var snapshot = snapshot(entry: station, position: 1, duration: nil, at: bench.now)
    snapshot.stream = StreamFacts(isLive: true, title: "Artist - It's", stationName: "Radio One")
    bench.show(snapshot)
    #expect(bench.lines[3].contains("  1  Radio One"))
    #expect(bench.title.hasPrefix(" ▶ Artist - It's ") && bench.credits.hasPrefix("   Radio One"))
    bench.press("6")
    #expect(bench.lines[3...4].map { $0 } == [" station          Radio One", " on air           Artist - It's"])
  }
}
