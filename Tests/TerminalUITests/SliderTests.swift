import AudioModel
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The slider as a control: seeks, the ghost of the thumb, marks, and when the screen wakes.
struct SliderTests {
  /// Focused on the slider, 41 s into 200.
  static func focused(duration: Double? = 200) -> Bench {
    var bench = Bench.playing(duration: duration)
    bench.press(Key(.tab))
    return bench
  }

  @Test(
    arguments: [
      ([Key(.right)], 46), ([Key(.left)], 36), ([Key(.right), Key(.right), Key(.left)], 46), ([Key(.up)], 46),
      ([Key(.down), "j"], 31), ([Key(.pageUp)], 61), ([Key(.pageDown)], 21), ([Key(.home)], 0), ([Key(.end)], 200),
      (["0"], 0), (["7"], 140), (["9", Key(.pageUp), Key(.pageUp)], 200), ([Key(.home), Key(.left)], 0),
      ([Key(.right, .shift)], 42), (["."], 101), (["h"], 36),
    ] as [([Key], Double)])
  func `keys move a ghost, and 400 ms after the last of them one seek follows`(keys: [Key], target: Double) {
    var bench = Self.focused()
    for key in keys {
      #expect(bench.press(key) == [])
      #expect(bench.wait(milliseconds: 399) == [])
    }
    // The clock has run on, by 399 ms a key: a first step starts from where the player was then.
    let commands = bench.wait(milliseconds: 1)
    #expect(commands == [.player(.playback(.seek(to: target)))])
    #expect(bench.wait(milliseconds: 5000) == [])
    #expect(bench.press(Key(.enter)) == [], "nothing is left to commit")
  }

  @Test func `the deadline of a ghost is known`() {
    var bench = Self.focused()
    bench.press("5")
    #expect(nextDeadline(of: bench.state) == bench.now + .milliseconds(400))
  }

  @Test func `Enter commits at once, Tab too, and Escape cancels`() {
    var bench = Self.focused()
    bench.press("5")
    #expect(bench.press(Key(.enter)) == [.player(.playback(.seek(to: 100)))])
    bench.press("8")
    #expect(bench.press(Key(.escape)) == [])
    #expect(bench.wait(milliseconds: 1000) == [])
    bench.press("2")
    #expect(bench.press(Key(.tab)) == [.player(.playback(.seek(to: 40)))])
    #expect(bench.press(Key(.right)) == [.player(.playback(.seekBy(5)))], "the list has the keys again")
    bench.press(Key(.tab), Key(.escape))
    #expect(
      bench.press(Key(.right)) == [.player(.playback(.seekBy(5)))], "Escape leaves the slider when there is no ghost")
  }

  @Test func `a late key commits the old choice first`() {
    var bench = Self.focused()
    bench.press("5")
    bench.now += .milliseconds(500)
    #expect(bench.press("1") == [.player(.playback(.seek(to: 100)))])
    #expect(bench.wait(milliseconds: 400) == [.player(.playback(.seek(to: 20)))])
  }

  @Test func `other keys keep their effect on the slider`() {
    var bench = Self.focused()
    #expect(bench.press(" ", "+", "b") == [.player(.togglePause), .player(.changeVolume(by: 0.05)), .player(.next)])
  }

  @Test func `the ghost shows its place and time, and the bar does not move`() {
    var bench = Bench.playing(columns: 40, rows: 2)
    bench.press(Key(.tab))
    #expect(bench.slider == " 0:41 ━━━━━━━●───────────── 2:03    80%")
    bench.mouse(.press(.left), 24, 1)
    #expect(bench.slider == " 0:41 ━━━━━━━●─── 1:48 ─○── 2:03    80%")
    bench.wait(milliseconds: 39_000)
    #expect(bench.slider == " 1:20 ━━━━━━━●─── 1:48 ─○── 2:03    80%")
    bench.mouse(.drag(.left), 6, 1)
    #expect(bench.slider == " 1:20 ○━ 0:00 ───────────── 2:03    80%")
    bench.press(Key(.escape), Key(.escape))
    #expect(bench.slider == " 1:20 ━━━━━━━━━━━━━╾─────── 2:03    80%")
  }

  @Test(arguments: [(nil, "the duration is not known"), (0, "the duration is not known")] as [(Double?, String)])
  func `with an unknown duration a seek is refused with a message`(duration: Double?, words: String) {
    var bench = Self.focused(duration: duration)
    for key in [Key(.right), Key(.end), "5", Key(.pageUp)] {
      #expect(bench.press(key) == [])
      #expect(bench.message.contains(words))
    }
    #expect(bench.wait(milliseconds: 400) == [])
    bench.press(Key(.tab))
    #expect(bench.press(Key(.right), ".") == [])
    #expect(bench.message.contains(words))
  }

  @Test func `nothing loaded, nothing to seek in`() {
    var bench = Bench(entries: album)
    #expect(bench.press(Key(.right), Key(.backspace)) == [])
    #expect(bench.message.contains("No seek"))
  }

  @Test func `a stopped player says that it cannot seek`() {
    for key in [Key(.right), "."] {
      var bench = Bench.playing(state: .stopped)
      #expect(bench.press(key) == [])
      #expect(bench.message.contains("Cannot seek: the player is stopped"))
    }
    var bench = Bench.playing(state: .stopped)
    #expect(bench.command("1:00") == [.player(.ask(.remember("1:00")))])
    #expect(bench.message.contains("Cannot seek: the player is stopped"))
  }

  @Test func `a time behind the end does not end the track`() {
    var bench = Bench.playing(duration: 200)
    #expect(
      bench.command("99:00").contains(.player(.playback(.seek(to: 5940)))),
      "the player refuses it, unless the file has grown")
    #expect(bench.command("3:00").contains(.player(.playback(.seek(to: 180)))))
  }

  @Test func `the command cancel leaves the slider as its key does, and the view stays`() {
    var bench = Bench.playing()
    bench.press("6", Key(.tab))
    bench.command("cancel")
    #expect(bench.state.focus == .list && bench.state.shownView.rawValue == "info")
  }

  @Test func `Backspace returns to the start of the last seek, and a second one undoes that`() {
    var bench = Bench.playing()
    bench.press(".")
    bench.wait(milliseconds: 2000)
    #expect(bench.press(Key(.backspace)) == [.player(.playback(.seek(to: 41)))])
    #expect(bench.press(Key(.backspace)) == [.player(.playback(.seek(to: 103)))])
    bench.show(snapshot(entry: album[4], position: 0, duration: 100, at: bench.now))
    #expect(bench.press(Key(.backspace)) == [], "not into another track")
  }

  @Test func `steps that follow each other are one seek to undo`() {
    var bench = Bench.playing()
    for _ in 0..<5 {
      bench.press(Key(.right))
      bench.wait(milliseconds: 300)
    }
    #expect(bench.press(Key(.backspace)) == [.player(.playback(.seek(to: 41)))])
  }

  @Test func `a new track takes the ghost away`() {
    var bench = Self.focused()
    bench.press("5")
    bench.show(snapshot(entry: album[4], position: 0, duration: 100, at: bench.now))
    #expect(bench.wait(milliseconds: 400) == [])
  }

  @Test func `the new place is shown before the player has answered`() {
    var bench = Bench.playing()
    bench.press(Key(.right), Key(.right))
    #expect(bench.slider.hasPrefix(" 0:51 "))
  }

  @Test func `a snapshot from before a seek neither moves the position back nor becomes the place to go back to`() {
    var bench = Bench.playing(position: 80, duration: 200)
    bench.press(",")
    #expect(bench.slider.hasPrefix(" 0:20 "))
    var stale = snapshot(entry: album[1], position: 80, duration: 200, at: bench.now)
    stale.hasPendingSeek = true
    bench.show(stale)
    #expect(bench.slider.hasPrefix(" 0:20 "))
    #expect(bench.state.handle(.player(.playback(.seek(to: 120)))) == [.player(.playback(.seek(to: 120)))])
    #expect(bench.press(Key(.backspace)) == [.player(.playback(.seek(to: 20)))])
  }

  // MARK: Marks and chapters

  @Test func `the part between A and B loops exactly`() throws {
    var bench = Bench.playing(columns: 40, rows: 10, position: 20, duration: 200)
    #expect(bench.press("'") == [])
    #expect(bench.message.hasPrefix(" Loop start 0:20; press ' at the end"))
    bench.wait(milliseconds: 20_400)
    #expect(bench.press("'") == [.player(.playback(.set(.looped(true))))])
    #expect(nextDeadline(of: bench.state) == bench.now, "it is there already")
    #expect(bench.send(.tick) == [.player(.playback(.seek(to: 20)))])
    #expect(bench.slider == " 0:20 ━━A─B──────────────── 3:20    80%")
    let deadline = try #require(nextDeadline(of: bench.state))
    #expect(deadline - bench.now <= .milliseconds(1001))
    #expect(bench.wait(milliseconds: 20_399) == [])
    let rest = try #require(nextDeadline(of: bench.state)) - bench.now
    #expect(999_000...1_000_000 ~= rest.nanoseconds)
    #expect(bench.wait(milliseconds: 1) == [.player(.playback(.seek(to: 20)))])
    #expect(bench.press("'") == [.player(.playback(.set(.looped(false))))])
    #expect(bench.wait(milliseconds: 60_000) == [])
    #expect(bench.slider.contains("A") == false)
  }

  @Test func `hidden, a loop ends where it shall at another speed, too`() {
    var bench = Bench.playing(position: 20, duration: 200)
    bench.press("'")
    bench.wait(milliseconds: 5000)
    bench.press("'")
    bench.send(.visible(false))
    var fast = snapshot(entry: album[1], position: 20, duration: 200, at: bench.now)
    fast.clock.speed = 2
    bench.show(fast)
    #expect(nextDeadline(of: bench.state) == bench.now + .milliseconds(2500))
  }

  @Test func `hidden, a loop still ends where it shall; paused, it does not`() {
    var bench = Bench.playing(position: 20, duration: 200)
    bench.press("'")
    bench.wait(milliseconds: 5000)
    bench.press("'")
    bench.send(.visible(false))
    #expect(nextDeadline(of: bench.state) == bench.now + .milliseconds(5000))
    bench.show(snapshot(entry: album[1], position: 22, duration: 200, state: .paused, at: bench.now))
    #expect(nextDeadline(of: bench.state) == nil)
    #expect(bench.wait(milliseconds: 60_000) == [])
  }

  @Test func `an end marked on the wrong side replaces the other; a new track has no marks`() {
    var bench = Bench.playing(position: 50, duration: 200)
    bench.press("'")
    bench.show(snapshot(entry: album[1], position: 30, duration: 200, at: bench.now))
    bench.press("'")
    #expect(bench.state.slider.marks.a == nil && bench.state.slider.marks.b == 30)
    bench.show(snapshot(entry: album[1], position: 35, duration: 200, at: bench.now))
    bench.press("'")
    #expect(bench.state.slider.marks.a == 35 && bench.state.slider.marks.b == nil)
    bench.show(snapshot(entry: album[2], position: 30, duration: 200, at: bench.now))
    #expect(bench.state.slider.marks.a == nil)
    bench.show(snapshot(entry: album[2], position: 30, duration: nil, at: bench.now))
    bench.press("'")
    #expect(bench.message.contains("duration is not known"))
  }

  @Test(arguments: [0, 1, 99]) func `ends that are too close make no loop`(milliseconds: Int64) {
    var bench = Bench.playing(position: 50, duration: 200)
    bench.press("'")
    bench.wait(milliseconds: milliseconds)
    bench.press("'")
    #expect(bench.message == " Loop too short: at least 0.1 s")
    #expect(bench.wait(milliseconds: 5000) == [])
    #expect(bench.state.slider.marks.loop == nil && bench.state.slider.marks.a == 50)
  }

  @Test func `chapters are seen on the bar and gone to`() {
    var bench = Bench.playing(columns: 40, rows: 10, position: 41, duration: 210)
    var snapshot = bench.state.model.playback
    snapshot.information.tags.chapters = [0, 30, 100, 900, .nan].map { .init(start: $0, title: "") }
    bench.show(snapshot)
    #expect(bench.slider == " 0:41 ━━━┷──────┴────────── 3:30    80%")
    #expect(bench.press(")") == [.player(.playback(.seek(to: 100)))])
    bench.wait(milliseconds: 1500)
    #expect(bench.press("(") == [.player(.playback(.seek(to: 30)))])
    #expect(
      bench.press("(") == [.player(.playback(.seek(to: 0)))],
      "a chapter that has just begun is not the one that is wanted")
    #expect(Bench.playing(columns: 40, rows: 10, typography: .ascii).slider.contains("|") == false)
  }

  // MARK: When to wake

  @Test(arguments: [0, 0.25, 0.999, 1, 41.5, 59.9999999, 3599.5])
  func `while playing the next wake-up is when the visible second changes`(position: Double) throws {
    var bench = Bench.playing(position: position, duration: 7200)
    let before = bench.slider
    let deadline = try #require(nextDeadline(of: bench.state))
    #expect(deadline - bench.now <= .milliseconds(1001))
    bench.now = deadline - .milliseconds(2)
    bench.send(.tick)
    #expect(bench.slider == before)
    bench.now = deadline
    bench.send(.tick)
    #expect(bench.slider != before)
  }

  @Test func `a minute of playing takes sixty wake-ups`() throws {
    var bench = Bench.playing(position: 0.5, duration: 200)
    let end = bench.now + .milliseconds(60_000)
    var count = 0
    while let deadline = nextDeadline(of: bench.state), deadline <= end {
      bench.now = deadline
      bench.send(.tick)
      count += 1
    }
    #expect(count == 60)
  }

  @Test(arguments: [PlaybackState.paused, .stopped, .waiting])
  func `no wake-up while nothing moves`(state: PlaybackState) {
    #expect(nextDeadline(of: Bench.playing(state: state).state) == nil)
  }

  @Test func `no wake-up while hidden, nor past the end`() {
    var bench = Bench.playing()
    bench.send(.visible(false))
    #expect(nextDeadline(of: bench.state) == nil)
    bench.send(.visible(true))
    #expect(nextDeadline(of: bench.state) != nil)
    #expect(nextDeadline(of: Bench.playing(position: 123.2, duration: 123.5).state) == nil)
  }
}
