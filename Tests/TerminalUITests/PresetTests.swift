import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Keys of other players, against the default keys that those document.
struct PresetTests {
  @Test(arguments: KeyMap.Preset.allCases) func `each line of a preset is right, and none is lost`(
    preset: KeyMap.Preset
  ) throws {
    let map = KeyMap.preset(preset)
    var seen: Set<KeySequence> = []
    for line in preset.bindings.split(separator: "\n") {
      switch try Action.parse(String(line)) {
      case .bind(let keys, let action):
        #expect(seen.insert(keys).inserted, "\(line)")
        #expect(map.match(keys.keys) == .action(action, mayGoOn: false), "\(line)")
        #expect(action.text == line.dropFirst("bind \(keys) ".count), "written as the program writes it")
      case .unbind(let keys):
        #expect(seen.insert(keys).inserted, "\(line)")
        #expect(map.match(keys.keys) == .nothing, "\(line)")
      default: Issue.record("\(line)")
      }
    }
    let all = map.bindings.flatMap(\.keys)
    #expect(Set(all).count == all.count)
  }

  @Test(arguments: KeyMap.Preset.allCases) func `a key leads to each view, and to all that needs one`(
    preset: KeyMap.Preset
  ) throws {
    let map = KeyMap.preset(preset)
    for view in ScreenView.allCases {
      let keys = map.bindings.first { $0.action == .show(view) }?.keys ?? []
      #expect(!keys.isEmpty, "\(view)")
      for sequence in keys {
        var bench = Bench.playing()
        // A key for a view leads back to the queue where that view is shown.
        bench.press(view == .queue ? "?" : ":", Key(.escape))
        bench.send(.configured(Configuration(keyMap: map)))
        for key in sequence.keys { bench.press(key) }
        #expect(bench.state.shownView == view, "\(sequence)")
      }
    }
    for action in [
      Action.player(.quit(savesSession: true)), .prompt(""), .player(.togglePause), .player(.next), .player(.previous),
      .playSelected, .player(.undo), .player(.redo),
    ] {
      let needed = map.label(of: action)
      // Ctrl-R is another key in cmus, which cannot redo anything.
      #expect(needed != nil || preset == .cmus && action == .player(.redo), "\(action.text)")
    }
  }

  @Test(arguments: KeyMap.Preset.allCases) func `no key that is listed does nothing`(preset: KeyMap.Preset) throws {
    let map = KeyMap.preset(preset)
    for binding in map.bindings {
      for sequence in binding.keys {
        let isObeyed = try Self.scenes(map).contains { scene in
          var bench = scene
          let before = (view(bench.state), bench.state.shownView, bench.state.focus)
          let commands = sequence.keys.flatMap { bench.press($0) }
          return !commands.isEmpty || before != (view(bench.state), bench.state.shownView, bench.state.focus)
        }
        #expect(isObeyed, "\(sequence): \(binding.action.help)")
      }
    }
  }

  /// Places in which a key may mean something: the queue while a track with chapters plays, Files in a folder, Streams
  /// with a station that plays, and a filtered list.
  private static func scenes(_ map: KeyMap) throws -> [Bench] {
    var queue = Bench.playing(rows: 10)
    queue.send(.configured(Configuration(keyMap: map)))
    var playing = snapshot(entry: album[1], position: 41, duration: 123, at: queue.now)
    playing.information.tags.chapters = [0, 20, 60].map { TrackTags.Chapter(start: $0, title: "") }
    for (mark, place) in [(LoopMark.a, 20.0), (.b, 60)] {
      queue.show(snapshot(entry: album[1], position: place, duration: 123, at: queue.now))
      _ = queue.state.handle(.mark(mark))
    }
    queue.show(playing)
    var streams = queue
    let stream = StreamList.Stream("http://radio.example/live", title: "Radio")
    streams.send(.queue(album + [QueueEntry(id: 77, location: .url(stream.address))]))
    var live = snapshot(
      entry: QueueEntry(id: 77, location: .url(stream.address)), position: 100, duration: nil, at: streams.now)
    live.stream = StreamFacts(isLive: true)
    live.stream?.shift = StreamFacts.Shift(delay: 20, depth: 60)
    streams.show(live)
    var list = StreamList()
    list.apply(.keep(stream))
    streams.send(.streams(list))
    _ = streams.state.handle(.show(.streams))
    var searched = queue
    _ = searched.state.handle(.search("0"))
    _ = searched.state.handle(.filter("0"))
    return [queue, streams, searched]
  }

  /// The default keys in the lists of those programs, as far as the actions exist here.
  @Test(
    arguments: [
      (.cmus, "c", "toggle"), (.cmus, "x", "restart"), (.cmus, "v", "stop"), (.cmus, "b", "next"),
      (.cmus, "z", "previous"), (.cmus, "C", "stop-after"), (.cmus, "s", "shuffle"), (.cmus, "r", "repeat"),
      (.cmus, "C-r", "repeat toggle-one"), (.cmus, "+", "volume +10"), (.cmus, "-", "volume -10"),
      (.cmus, "[", "volume +1"), (.cmus, "]", "volume +1"), (.cmus, "{", "volume -1"), (.cmus, "}", "volume -1"),
      (.cmus, "h", "seek -5"), (.cmus, "l", "seek +5"), (.cmus, ",", "seek -60"), (.cmus, ".", "seek +60"),
      (.cmus, "a", "add"), (.cmus, "e", "enqueue"), (.cmus, "E", "play-next"), (.cmus, "D", "remove"),
      (.cmus, "Del", "remove"), (.cmus, "p", "move-track down"), (.cmus, "P", "move-track up"),
      (.cmus, "i", "go-playing"), (.cmus, "I", "view info"), (.cmus, "t", "toggle remaining"),
      (.cmus, "4", "view queue"),
      (.cmus, "5", "view files"), (.cmus, "7", "view help"), (.cmus, "L", "filter"), (.cmus, "F", "filter"),
      (.cmus, "n", "search-next"), (.cmus, "N", "search-previous"), (.cmus, "Backspace", "back"),
      (.cmus, "Space", "mark-row"), (.cmus, "y", "command playlist add"), (.cmus, "u", "library scan"),
      (.cmus, "C-l", "redraw"), (.cmus, "q", "quit"), (.cmus, "C-b", "move page-up"), (.cmus, "C-f", "move page-down"),
      (.mocp, "p", "toggle"), (.mocp, "Space", "toggle"), (.mocp, "s", "stop"), (.mocp, "n", "next"),
      (.mocp, "b", "previous"), (.mocp, "S", "shuffle"), (.mocp, "R", "repeat"), (.mocp, "X", "stop-after"),
      (.mocp, "<", "volume -1"), (.mocp, ">", "volume +1"), (.mocp, ",", "volume -5"), (.mocp, ".", "volume +5"),
      (.mocp, "M-1", "volume 10"), (.mocp, "M-9", "volume 90"), (.mocp, "Right", "seek +1"),
      (.mocp, "Left", "seek -1"), (.mocp, "]", "seek +5"), (.mocp, "[", "seek -5"), (.mocp, "a", "add"),
      (.mocp, "A", "add"), (.mocp, "C", "clear"), (.mocp, "d", "remove"), (.mocp, "u", "move-track up"),
      (.mocp, "j", "move-track down"), (.mocp, "g", "search"), (.mocp, "/", "search"), (.mocp, "C-g", "search-next"),
      (.mocp, "C-n", "search-next"), (.mocp, "V", "command save"), (.mocp, "G", "go-playing"),
      (.mocp, "i", "command cd"), (.mocp, "U", "cd .."), (.mocp, "o", "command open"), (.mocp, "C-u", "command add"),
      (.mocp, "Tab", "view files"), (.mocp, "h", "view help"), (.mocp, "?", "view help"), (.mocp, "C-r", "redraw"),
      (.mocp, "C-x", "cancel"), (.mocp, "Esc", "cancel"), (.mocp, "Q", "quit"), (.mocp, "q", "quit"),
      (.mpv, "[", "speed /1.1"), (.mpv, "]", "speed *1.1"), (.mpv, "{", "speed /2"), (.mpv, "}", "speed *2"),
      (.mpv, "Backspace", "speed 1"), (.mpv, "S-Backspace", "back"), (.mpv, "l", "mark cycle"),
      (.mpv, "L", "repeat toggle-one"), (.mpv, "Right", "seek +5"), (.mpv, "Left", "seek -5"),
      (.mpv, "Up", "seek +60"), (.mpv, "Down", "seek -60"), (.mpv, "S-Right", "seek +1"), (.mpv, "S-Left", "seek -1"),
      (.mpv, "S-Up", "seek +5"), (.mpv, "S-Down", "seek -5"), (.mpv, "PgUp", "chapter next"),
      (.mpv, "PgDn", "chapter previous"), (.mpv, "S-PgUp", "seek +600"), (.mpv, "S-PgDn", "seek -600"),
      (.mpv, "p", "toggle"), (.mpv, "Space", "toggle"), (.mpv, ">", "next"), (.mpv, "<", "previous"),
      (.mpv, "9", "volume -2"), (.mpv, "0", "volume +2"), (.mpv, "/", "volume -2"), (.mpv, "*", "volume +2"),
      (.mpv, "m", "mute"), (.mpv, "i", "view info"), (.mpv, "I", "view info"), (.mpv, "?", "view help"),
      (.mpv, "`", "command"), (.mpv, "F8", "view queue"), (.mpv, "F9", "view info"), (.mpv, "q", "quit"),
      (.mpv, "Q", "quit"),
      (.ncmpcpp, "p", "toggle"), (.ncmpcpp, "s", "stop"), (.ncmpcpp, ">", "next"), (.ncmpcpp, "<", "previous"),
      (.ncmpcpp, "f", "seek +5"), (.ncmpcpp, "b", "seek -5"), (.ncmpcpp, "g", "command seek"),
      (.ncmpcpp, "Right", "volume +2"), (.ncmpcpp, "Left", "volume -2"), (.ncmpcpp, "+", "volume +2"),
      (.ncmpcpp, "-", "volume -2"), (.ncmpcpp, "r", "repeat"), (.ncmpcpp, "z", "shuffle"),
      (.ncmpcpp, "y", "repeat toggle-one"), (.ncmpcpp, "Space", "add"), (.ncmpcpp, "a", "add"),
      (.ncmpcpp, "A", "command add"), (.ncmpcpp, "S", "command save"), (.ncmpcpp, "Del", "remove"),
      (.ncmpcpp, "c", "clear"), (.ncmpcpp, "m", "move-track up"), (.ncmpcpp, "n", "move-track down"),
      (.ncmpcpp, "Ins", "mark-row"), (.ncmpcpp, "S-Down", "mark-row"), (.ncmpcpp, "S-Up", "mark-row up"),
      (.ncmpcpp, "C-v", "mark-row range"), (.ncmpcpp, "B", "mark-row album"), (.ncmpcpp, "V", "mark-row none"),
      (.mocp, "C-v", "mark-row range"), (.mocp, "M-a", "mark-row album"), (.cmus, "M", "mark-row"),
      (.cmus, "V", "mark-row range"),
      (.cmus, "M-d", "remove album"), (.ncmpcpp, "/", "search"), (.ncmpcpp, ".", "search-next"),
      (.ncmpcpp, ",", "search-previous"),
      (.ncmpcpp, "C-f", "filter"), (.ncmpcpp, "o", "go-playing"), (.ncmpcpp, "i", "view info"),
      (.ncmpcpp, "1", "view queue"), (.ncmpcpp, "2", "view files"), (.ncmpcpp, "Tab", "view files"),
      (.ncmpcpp, "F1", "view help"), (.ncmpcpp, "Backspace", "back"), (.ncmpcpp, ":", "command"),
      (.ncmpcpp, "q", "quit"),
    ] as [(KeyMap.Preset, String, String)])
  func `a key has the effect of the imitated program`(
    preset: KeyMap.Preset, key: String, command: String
  ) throws {
    let keys = try #require(KeySequence(parsing: key))
    let action = try #require(try Action.parse(command))
    #expect(KeyMap.preset(preset).match(keys.keys) == .action(action, mayGoOn: false))
  }

  @Test func `one key sets both ends of a loop in turn, and clears it`() throws {
    var bench = Bench.playing(position: 10)
    bench.send(.configured(Configuration(keyMap: .preset(.mpv))))
    #expect(bench.press("l") == [])
    bench.wait(milliseconds: 20_000)
    #expect(bench.press("l").contains(.player(.playback(.set(.looped(true))))))
    #expect(bench.state.slider.marks.loop == 10...30)
    #expect(bench.press("l").contains(.player(.playback(.set(.looped(false))))))
    #expect(bench.state.slider.marks == LoopMarks())
    #expect(bench.press("L") == [.player(.toggleRepeatOne)])
  }
}
