import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The slider and the state line for streams that arrive, and for stations.
struct StreamSliderTests {
  private func arriving(_ shares: [Range<Double>]?) -> Bench {
    var bench = Bench.playing(columns: 40, rows: 2)
    var snapshot = bench.state.model.playback
    snapshot.stream = StreamFacts(isLive: false)
    snapshot.stream?.arrivedShares = shares
    bench.show(snapshot)
    return bench
  }

  /// 41 s into a station of which 60 s are kept, some of them newer than the playing audio.
  private func station(delay: Double, depth: Double = 60) -> Bench {
    var bench = Bench.playing(columns: 40, rows: 2, duration: nil)
    var snapshot = bench.state.model.playback
    snapshot.stream = StreamFacts(isLive: true)
    snapshot.stream?.shift = StreamFacts.Shift(delay: delay, depth: depth)
    bench.show(snapshot)
    return bench
  }

  @Test func `missing parts are drawn as missing`() {
    #expect(arriving(nil).slider == " 0:41 ━━━━━━━────────────── 2:03    80%")
    #expect(arriving([0..<0.5]).slider == " 0:41 ━━━━━━━───░░░░░░░░░░░ 2:03    80%")
    #expect(arriving([0..<0.4, 0.75..<1]).slider == " 0:41 ━━━━━━━─░░░░░░░░───── 2:03    80%")
  }

  @Test func `a place that was guessed is marked`() {
    var bench = arriving(nil)
    var snapshot = bench.state.model.playback
    snapshot.positionIsEstimated = true
    bench.show(snapshot)
    #expect(bench.slider.hasPrefix(" ~0:41 "))
  }

  @Test(arguments: [
    (PlaybackReason.connecting, "connecting"), (.buffering(percent: 43), "buffering 43%"),
    (.buffering(percent: nil), "buffering"), (.reconnecting(seconds: 4), "reconnecting in 4 s"),
    (.reconnecting(seconds: 0), "reconnecting"),
    (.serverBusy(seconds: 5), "the server is busy, trying again in 5 s"),
    (.serverBusy(seconds: 0), "the server is busy, trying again"),
  ])
  func `a wait shows its reason`(reason: PlaybackReason, words: String) {
    let bench = Bench.playing(state: .waiting, reason: reason)
    #expect(bench.credits.hasSuffix("  … waiting (\(words))"), "\(bench.credits)")
  }

  @Test func `a station shows its time-shift window, and the delay`() {
    #expect(station(delay: 3).slider.hasSuffix("─ live    80%"))
    #expect(station(delay: 45).slider.hasSuffix("─ -0:45    80%"))
    let played = station(delay: 30).slider.filter { $0 == "━" }.count
    let bar = station(delay: 30).slider.filter { "━╾─".contains($0) }.count
    #expect(abs(played - bar / 2) <= 1)
  }

  @Test func `seeks stay within the time-shift window, and can return to the live edge`() {
    var bench = station(delay: 10)
    #expect(bench.press(Key(.left)) == [.player(.playback(.seekBy(-5)))])
    #expect(bench.slider.contains("-0:15"), "at once, before the player has answered")
    #expect(bench.press("L") == [.player(.goLive)])
    #expect(bench.state.model.position == 51)
    #expect(bench.slider.contains("live"))
    bench = station(delay: 10, depth: 50)
    #expect(bench.press(",") == [.player(.playback(.seekBy(-60)))])
    #expect(bench.state.model.position == 1, "the oldest there is")
    var file = Bench.playing()
    #expect(file.press("L") == [])
  }

  @Test func `nothing is drawn for a station of which nothing is kept`() {
    var bench = station(delay: 0, depth: 0)
    #expect(bench.press(Key(.left)) == [])
  }
}
