import AudioModel
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Settings, keys and themes; an error names its file and line.
struct ConfigurationTests {
  @Test func `a file sets values, keys and looks, and a valid file gives no message`() {
    var configuration = Configuration()
    let text = """
      # How I like it.
      set keymap=cmus\r
      set theme=light
        set mouse=off   # The terminal selects text.
      set music='/home/me/My Music'

      bind gg move first
      bind x stop
      unbind q
      style playing fg=bright-red bold
      """
    #expect(configuration.read(text, named: "config") == [])
    #expect(configuration.settings.keymap == .cmus && !configuration.settings.mouse)
    #expect(configuration.player.music == "/home/me/My Music")
    #expect(configuration.keyMap.match(["g", "g"]) == .action(.move(.first), mayGoOn: false))
    #expect(configuration.keyMap.match(["C"]) == .action(.player(.stopAfter(nil)), mayGoOn: false))
    #expect(configuration.keyMap.match(["q"]) == .nothing)
    #expect(configuration.theme.base == .light)
    #expect(
      configuration.theme.appearance(of: .playing, colorCount: 256)
        == Appearance(.bold, foreground: .palette(9)))
    #expect(configuration.theme.appearance(of: .playing, colorCount: 0) == Appearance(.bold))
  }

  @Test func `errors have file, line and column, and all other lines apply`() {
    var configuration = Configuration()
    let errors = configuration.read("set mouse=off\n\nbid x mute\nset theme=nice\nnext\nbind x muto\n", named: "config")
    #expect(
      errors.map(\.description) == [
        "config:3:1: unknown command \"bid\"; did you mean bind?",
        "config:4:1: unknown theme \"nice\". Choose default, light, mono, solarized, gruvbox, nord, catppuccin, dracula, high-contrast or cover",
        "config:5:1: only set, bind, unbind and style work in this file",
        "config:6:8: unknown command \"muto\"; did you mean mute?",
      ])
    #expect(!configuration.settings.mouse)
  }

  @Test func `a theme of one's own begins with another`() {
    var configuration = Configuration()
    let text = "set theme=solarized\nstyle failed fg=1 underline\nbind x mute\n"
    #expect(configuration.readTheme(text, name: "mine", file: "themes/mine").map(\.line) == [3])
    #expect(configuration.read("set theme=mine", named: "config") == [])
    #expect(configuration.theme.appearance(of: .failed, colorCount: 256) == Appearance(.underline, foreground: 1))
    #expect(
      configuration.theme.appearance(of: .playing, colorCount: 256)
        == Theme(.solarized).appearance(of: .playing, colorCount: 256))
    #expect(Completion("set theme=m", configuration).candidates == ["theme=mono", "theme=mine"])
  }

  @Test func `on the command line settings apply at once, and invalid ones are refused`() {
    var bench = Bench.playing()
    bench.press(":")
    for character in "set remaining=on" { bench.press(Key(character)) }
    guard case .configure(let configuration)? = bench.press(Key(.enter)).last else {
      Issue.record("nothing to configure")
      return
    }
    #expect(configuration.settings.remaining && bench.slider.hasPrefix(" -1:22 "))
    bench.press(":")
    for character in "set theme=ugly" { bench.press(Key(character)) }
    #expect(bench.press(Key(.enter)) == [.player(.ask(.remember("set theme=ugly")))])
    #expect(bench.message.hasPrefix(" unknown theme \"ugly\". Choose default, light"))
    bench.press(":")
    for character in "bind y next" { bench.press(Key(character)) }
    bench.press(Key(.enter))
    #expect(bench.press("y") == [.player(.next)])
  }

  /// Commands by hand with some files, and what they leave with these and other files.
  @Test(
    arguments: [
      ("", ["set mouse=off", "bind y next"], "", "set mouse=off\nbind y next"),
      ("", ["set mouse=off", "set mouse=on"], "", ""),
      ("", ["bind y next", "bind y mute", "unbind y"], "", ""),
      ("bind y mute", ["unbind y", "bind y next"], "bind y mute", "bind y next"),
      // The files have a new value, which wins.
      ("", ["set theme=nord", "bind y next", "bind gg mute"], "set theme=light\nbind y mute", "bind gg mute"),
      ("", ["bind y next", "style playing bold", "style playing dim"], "", "bind y next\nstyle playing dim"),
      // A line that is gone is no new value.
      ("bind y mute", ["bind y next"], "", "bind y next"),
      // A preset replaces the keys before it, a theme the styles.
      ("", ["bind y next", "set keymap=cmus", "bind Q mute"], "", "set keymap=cmus\nbind Q mute"),
      ("", ["style playing bold", "set theme=nord"], "", "set theme=nord"),
      ("", ["bind y next", "set keymap=cmus", "set keymap=default"], "", ""),
      // Without a key for the command line nobody could take the change back.
      ("", ["set mouse=off", "unbind :"], "", "set mouse=off"),
    ])
  func `changes by hand are made again unless the files have a new value`(
    before: String, commands: [String], after: String, outcome: String
  ) throws {
    var (configuration, other, expected) = (Configuration(), Configuration(), Configuration())
    #expect(configuration.read(before, named: "config") == [] && other.read(after, named: "config") == [])
    for command in commands { #expect(configuration.change(try Action.parse(command) ?? .cancel) == nil) }
    #expect(expected.read(after + "\n" + outcome, named: "config") == [])
    let made = other.changed(by: configuration.changes)
    #expect(made.settings == expected.settings && made.keyMap.bindings == expected.keyMap.bindings)
    for style in Style.allCases {
      let looks = [made, expected].map { $0.theme.appearance(of: style, colorCount: 256) }
      #expect(looks[0] == looks[1])
    }
    #expect(made.changes.map(\.line).joined(separator: "\n") == outcome)
  }

  @Test func `files that are read again leave changes by hand, and nonsense in a session is left out`() {
    var bench = Bench.playing()
    bench.command("set remaining=on")
    var files = Configuration()
    #expect(files.read("set mouse=off", named: "config") == [])
    bench.send(.configured(files))
    #expect(bench.state.configuration.settings.remaining && !bench.state.configuration.settings.mouse)
    let nonsense = ["", "next", "set theme=ugly", "bind", "bind y bind y next", "\u{1b}[2J", "set mouse=maybe"]
    #expect(Configuration().changed(by: nonsense.map { .init($0, from: "") }) == Configuration())
  }

  @Test func `changes of an earlier version are made again, and those that are not possible are named`() throws {
    let changes: [FacePlace.Change] = [
      // This key did something, and has no default any longer.
      .init("bind D next", from: "bind D remove-album"),
      // These commands and this default have other names.
      .init("bind y mark-range", from: "bind y mark-all"), .init("set hints=off", from: "set hints=auto"),
      .init("unbind Q", from: "bind Q quit-without-saving"),
      .init("set theme=lost", from: "set theme=default"), .init("bind w fly", from: "unbind w"),
    ]
    var files = Configuration()
    #expect(files.read("bind y mark-all", named: "keys") == [])
    var refusals: [String] = []
    let made = files.changed(by: changes) { refusals.append("\($0): \($1)") }
    let range = try Action.parse("bind y mark-range")?.text ?? ""
    #expect(made.changes.map(\.line) == ["bind D next", range, "set hints=off"])
    #expect(made.changes.map(\.base) == ["unbind D", "bind y mark-row all", "set hints=on"])
    #expect(refusals.count == 2 && refusals[0].hasPrefix("set theme=lost: unknown theme"), "\(refusals)")
    #expect(refusals.last?.hasPrefix("bind w fly: ") == true, "\(refusals)")
    #expect(files.read("bind y next", named: "keys") == [])
    #expect(files.changed(by: Array(changes[1...1])).changes == [], "a new value of the files")
  }

  @Test(arguments: ["0", "1001", "many"]) func `reconnects are a number of tries`(wrong: String) {
    var configuration = Configuration()
    #expect(configuration.read("set reconnects=1000", named: "config") == [])
    let errors = configuration.read("set reconnects=\(wrong)", named: "config")
    #expect(errors.first?.error.message == "reconnects must be 1 to 1000, not \"\(wrong)\"")
    #expect(configuration.player.reconnects == 1000)
  }

  @Test func `a crossfade is a number of seconds, and is shown while it applies`() {
    var configuration = Configuration()
    #expect(configuration.read("set crossfade=4.5", named: "config") == [])
    #expect(configuration.player.crossfade == 4.5)
    for wrong in ["-1", "12.1", "nan", "inf", "", "four"] {
      let errors = configuration.read("set crossfade=\(wrong)", named: "config")
      #expect(errors.first?.error.message == "crossfade must be 0 to 12 seconds, not \"\(wrong)\"")
    }
    #expect(configuration.player.crossfade == 4.5)
    var playing = snapshot(entry: album[0], position: 0, duration: 100, at: .zero)
    playing.crossfade = 4.5
    #expect(playing.soundTexts.contains("crossfade 4.5 s"))
    playing.crossfade = 0
    #expect(!playing.soundTexts.joined().contains("crossfade"))
  }

  @Test(arguments: SettingEntry.all) func `every setting can be each of its values`(setting: SettingEntry) throws {
    for value in setting.values {
      #expect(try Action.parse("set \(setting.name)=\(value)") == setting.setting(to: value))
    }
    #expect(!setting.help.isEmpty)
  }

  @Test(
    arguments: [
      ("red", .palette(1)), ("bright-cyan", .palette(14)), ("244", .palette(244)),
      ("#dc322f", .rgb(red: 0xdc, green: 0x32, blue: 0x2f)), ("#000001", .rgb(red: 0, green: 0, blue: 1)),
    ] as [(String, Color)])
  func `colours are read as they are written`(text: String, color: Color) {
    #expect(Color(parsing: text) == color)
    #expect(Color(parsing: color.description) == color)
    for wrong in ["256", "redd", "#12345", "#gggggg", "", "-1"] { #expect(Color(parsing: wrong) == nil) }
  }

  @Test(
    arguments: [
      (Color(hex: 0xff0000), 8, 1), (Color(hex: 0xff0000), 16, 9), (Color(hex: 0xff0000), 256, 196),
      (Color(hex: 0x268bd2), 256, 32), (Color(hex: 0x808080), 256, 244), (Color(hex: 0x268bd2), 1 << 24, 0x268bd2),
      (.palette(3), 1 << 24, 3), (.palette(196), 1 << 24, 0xff0000), (.palette(196), 256, 196), (.palette(196), 16, 9),
      (.palette(12), 8, 4),
    ] as [(Color, Int, Int32)])
  func `with fewer colours the closest one is used`(color: Color, count: Int, number: Int32) {
    #expect(color.number(colorCount: count) == number)
  }

  @Test(arguments: Theme.Base.allCases, [0, 8, 16, 256, 1 << 24])
  func `in every theme and depth different meanings have different looks`(base: Theme.Base, colorCount: Int) {
    let look = { Theme(base).appearance(of: $0, colorCount: colorCount) }
    for (one, other) in [
      (Style.plain, .selected), (.plain, .playing), (.selected, .selectedPlaying), (.plain, .failed), (.plain, .notice),
      (.plain, .selectedIdle), (.plain, .heading),
    ] as [(Style, Style)] { #expect(look(one) != look(other), "\(one) \(other)") }
  }
}
