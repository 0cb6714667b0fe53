import AudioModel
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The default keys, row by row of the manual's table.
struct KeyTests {
  @Test(
    arguments: [
      (" ", .togglePause), ("p", .togglePause), ("c", .togglePause), ("x", .playFromStart),
      ("v", .playback(.stop)), ("s", .playback(.stop)),
      ("b", .next), (">", .next), ("z", .previous), ("<", .previous), ("S", .toggleShuffle), ("r", .cycleRepeat),
      (Key(.right), .playback(.seekBy(5))), ("l", .playback(.seekBy(5))), (Key(.left), .playback(.seekBy(-5))),
      ("h", .playback(.seekBy(-5))),
      (Key(.right, .shift), .playback(.seekBy(1))), (Key(.left, .shift), .playback(.seekBy(-1))),
      (".", .playback(.seekBy(60))), (",", .playback(.seekBy(-60))),
      ("+", .changeVolume(by: 0.05)), ("=", .changeVolume(by: 0.05)), ("-", .changeVolume(by: -0.05)),
      ("]", .changeVolume(by: 0.01)), ("[", .changeVolume(by: -0.01)), ("m", .toggleMute),
      (Key(.enter), .play(2)),
      ("q", .quit(savesSession: true)), (Key("c", .control), .quit(savesSession: true)),
      ("X", .stopAfter(nil)),
      ("u", .undo), (Key("r", .control), .redo),
    ] as [(Key, Command)])
  func `a key asks for one thing, from the list and from a view that shows something else`(key: Key, command: Command) {
    var bench = Bench.playing()
    #expect(bench.press(key) == [.player(command)])
    guard key != Key(.enter) else { return }
    bench.press("?")
    #expect(bench.press(key) == [.player(command)])
  }

  @Test func `a key asks before it quits without saving, and another key is no`() {
    var (bench, map) = (Bench.playing(), KeyMap.standard)
    #expect(
      bench.press("Q") == [] && bench.text.contains("Q is no longer bound: type :quit without-saving, or :bind Q"))
    map.bind("Q", to: .player(.quit(savesSession: false)))
    bench.send(.configured(Configuration(keyMap: map)))
    #expect(bench.press("Q") == [])
    #expect(bench.text.contains("Press Q again to quit without saving the session"))
    bench.press("j")
    #expect(bench.press("Q") == [])
    #expect(bench.press("Q") == [.player(.quit(savesSession: false))])
  }

  @Test func `two keys are for the terminal`() {
    var bench = Bench.playing()
    #expect(bench.press(Key("l", .control)) == [.redraw])
    #expect(bench.press(Key("z", .control)) == [.suspend])
  }

  @Test(
    arguments: [
      ([Key(.down)], 2), (["j", "j"], 3), ([Key(.up)], 0), (["k", "k", "k"], 0), (["G"], 8), ([Key(.end), "k"], 7),
      (["G", "g"], 0), (["G", Key(.home)], 0), ([Key(.pageDown)], 5), ([Key("f", .control), Key("b", .control)], 1),
      ([Key("d", .control)], 3), (["G", Key("u", .control)], 6), (["G", Key(.pageUp)], 4), (["G", "i"], 1),
    ] as [([Key], Int)])
  func `movement keys move in the list, and the selection stays visible`(keys: [Key], selected: Int) {
    var bench = Bench.playing(rows: 10)  // Four rows of list.
    for key in keys { #expect(bench.press(key) == []) }
    #expect(bench.state.shownPane.list.selected == selected)
    #expect(bench.lines[2...5].contains { $0.dropFirst(3).hasPrefix(" \(selected + 1)  ") })
  }

  @Test func `the visible part moves by a page, and back`() {
    var bench = Bench.playing(rows: 10)
    for (key, first) in [
      (Key(.pageDown), 4), (Key(.pageDown), 5), (Key(.pageUp), 1), (Key(.pageUp), 0), (Key("d", .control), 2),
      (Key("u", .control), 0),
    ] {
      bench.press(key)
      #expect(bench.state.shownPane.list.firstPlace == first, "\(key)")
    }
  }

  @Test func `t shows the remaining time, and both times change with the second`() {
    var bench = Bench.playing(position: 41.9, duration: 123.7)
    #expect(bench.slider.hasPrefix(" 0:41 "))
    bench.press("t")
    #expect(bench.slider.hasPrefix(" -1:22 "))
    bench.wait(milliseconds: 150)
    #expect(bench.slider.hasPrefix(" -1:21 "))
  }

  @Test func `Ctrl-L leaves the view as it is, unless the key or the time changes it, too`() {
    var bench = Bench.playing(position: 41.2)
    let redraws = { (bench: inout Bench) in
      let isSettled = isSettled(bench.state, at: bench.now)
      let old = view(bench.state)
      #expect(bench.press(Key("l", .control)) == [.redraw])
      return (isSettled, view(bench.state) == old)
    }
    #expect(redraws(&bench) == (true, true))
    bench.now += .milliseconds(900)
    #expect(redraws(&bench) == (false, false), "another second")
    #expect(redraws(&bench) == (true, true))
    bench.send(.notice("it was said"))
    #expect(redraws(&bench) == (false, false), "a notice went")
    #expect(redraws(&bench) == (true, true))
    bench.press(":")
    #expect(!isSettled(bench.state, at: bench.now), "Ctrl-L is for the line")
  }

  @Test func `views come and go`() {
    var bench = Bench.playing()
    let headings = { (bench: Bench) in
      view(bench.state).row(0).filter { $0.style == .heading }.map { String($0.character) }.joined()
    }
    #expect(headings(bench) == "1Queue")
    for (key, heading) in [
      ("5", "5Log"), ("1", "1Queue"), ("I", "5Log"), ("I", "1Queue"), ("?", "?Help"), (Key(.escape), "1Queue"),
      (Key(.function(1)), "?Help"), ("?", "1Queue"), ("3", "3Files"), ("6", "6Info"), ("6", "3Files"),
      ("3", "3Files"), ("2", "2Lib"), ("2", "2Lib"),
    ] as [(Key, String)] {
      bench.press(key)
      #expect(headings(bench) == heading)
    }
  }

  @Test func `Help lists every live binding, of another map too`() {
    var bench = Bench.playing(columns: 140, rows: 180)
    bench.press("?")
    let text = bench.text
    for binding in KeyMap.standard.bindings {
      #expect(text.contains(binding.action.help))
      for key in binding.keys { #expect(text.contains(key.description)) }
    }
    let map = KeyMap([.init(["y"], player: .togglePause), .init([Key(.function(9))], .show(.help))])
    bench.send(.configured(Configuration(keyMap: map)))
    #expect(bench.lines.contains { $0.hasPrefix(" y                pause or resume") })
    #expect(bench.lines[0].contains("F9 Help"))
    #expect(bench.press("y") == [.player(.togglePause)])
    #expect(bench.press(" ") == [])
  }

  @Test func `no key is bound twice`() {
    let keys = KeyMap.standard.bindings.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
  }

  @Test func `an unbound key is reported once and does nothing`() {
    var bench = Bench.playing()
    #expect(bench.press(Key(.function(7))) == [])
    #expect(bench.message == " F7 is not bound: ? lists the keys")
    bench.press("j")
    #expect(bench.message.hasPrefix("──"), "any key takes the message away")
    bench.press(Key(.function(7)))
    #expect(bench.message.hasPrefix("──"))
  }

  @Test func `a sentence on a change that can be undone names the key of the chosen map`() {
    var bench = Bench.playing()
    let said = { (bench: inout Bench) in
      bench.send(.notice("1 track in place of the queue; undo brings it back"))
      return bench.message
    }
    #expect(said(&bench) == " 1 track in place of the queue; u brings it back")
    bench.command("set keymap=cmus")
    #expect(said(&bench) == " 1 track in place of the queue; U brings it back")
    bench.command("unbind U")
    #expect(said(&bench) == " 1 track in place of the queue; :undo brings it back")
    bench.send(.notice("nothing to undo"))
    #expect(bench.message == " nothing to undo")
  }

  @Test func `a message disappears in time, and causes no wake-up afterwards`() throws {
    var bench = Bench.playing(state: .paused)
    bench.send(.notice("broken.mp3: no MPEG audio (byte 0)"))
    #expect(bench.message == " broken.mp3: no MPEG audio (byte 0)")
    let deadline = try #require(nextDeadline(of: bench.state))
    bench.now = deadline
    bench.send(.tick)
    #expect(bench.message.hasPrefix("──"))
    #expect(nextDeadline(of: bench.state) == nil)
  }

  @Test func `the selection follows the player unless the user has moved it`() {
    var bench = Bench.playing()
    #expect(bench.state.shownPane.list.selected == 1)
    bench.show(snapshot(entry: album[2], position: 0, duration: 9, at: bench.now))
    #expect(bench.state.shownPane.list.selected == 2)
    bench.press("G")
    bench.show(snapshot(entry: album[3], position: 0, duration: 9, at: bench.now))
    #expect(bench.state.shownPane.list.selected == 8)
    bench.press("i")
    bench.show(snapshot(entry: album[4], position: 0, duration: 9, at: bench.now))
    #expect(bench.state.shownPane.list.selected == 4)
  }

  @Test func `a changed queue keeps the selected track, and tags are requested once`() {
    var bench = Bench(entries: album)
    bench.press("j", "j")
    bench.send(.queue(Array(album.reversed())))
    #expect(bench.state.shownPane.list.selected == 6)
    #expect(update(&bench.state, with: .queue(album), at: bench.now) == [])
    let more = album + [entry(77, "new.mp3")]
    #expect(update(&bench.state, with: .queue(more), at: bench.now) == [.player(.ask(.facts([more[9]])))])
    bench.press("G")
    bench.send(.queue([]))
    #expect(bench.press(Key(.enter)) == [])
  }

  @Test func `new facts about a track are shown, and none are lost while another one opens`() {
    var bench = Bench.playing()
    var opening = PlaybackSnapshot()
    opening.entry = album[2]
    bench.show(opening)
    #expect(bench.title.hasPrefix("   バッハ") && bench.credits.hasSuffix("  ■ stopped"))
    opening.information.tags.title = "A station"
    bench.show(opening)
    #expect(bench.title.hasPrefix("   A station  "))
    #expect(bench.lines[5].hasPrefix(" >  3  A station"))
  }

  @Test func `a terminal that is gone is reported`() {
    var bench = Bench.playing()
    #expect(bench.send(.closed) == [.hangUp])
  }
}
