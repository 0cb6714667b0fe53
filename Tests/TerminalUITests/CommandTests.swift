import AudioModel
import ByteIO
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The command language of keys, the command line and configuration files.
struct CommandTests {
  @Test(
    arguments: [
      ("play", .player(.resume)), ("pause", .player(.playback(.pause))), ("toggle", .player(.togglePause)),
      ("play beatles", .player(.find(["beatles"], .played, in: nil))), ("toggle shuffle", .player(.toggleShuffle)),
      ("toggle repeat", .player(.cycleRepeat)), ("toggle mute", .player(.toggleMute)),
      ("stop", .player(.playback(.stop))), ("next", .player(.next)),
      ("previous", .player(.previous)), ("restart", .player(.playFromStart)),
      ("stop-after", .player(.stopAfter(nil))), ("sleep", .player(.sleep(.show))),
      ("sleep chapter", .player(.sleep(.chapter))), ("volume", .player(.showVolume)),
      ("sleep 30", .player(.sleep(.after(.seconds(1800))))), ("sleep off", .player(.sleep(.off))),
      ("seek +5", .player(.playback(.seekBy(5)))), ("seek -1:30", .player(.playback(.seekBy(-90)))),
      ("seek 90", .player(.playback(.seek(to: 90)))), ("seek 1:02:03.5", .player(.playback(.seek(to: 3723.5)))),
      ("seek 50%", .player(.seekToPercent(50))), ("back", .undoSeek), ("chapter next", .player(.seekChapter(1))),
      ("chapter previous", .player(.seekChapter(-1))),
      ("mark a", .mark(.a)), ("volume 80", .player(.setVolume(0.8))), ("volume +5", .player(.changeVolume(by: 0.05))),
      ("volume -5%", .player(.changeVolume(by: -0.05))),
      ("mute", .player(.toggleMute)), ("shuffle", .player(.toggleShuffle)), ("shuffle on", .player(.setShuffle(true))),
      ("repeat", .player(.cycleRepeat)),
      ("repeat one", .player(.setRepeat(.one))), ("add", .player(.find([], .turn(.end), in: nil))),
      ("add a 'b c' d\\ e \"f'g\"", .player(.find(WrittenNames("a 'b c' d\\ e \"f'g\""), .turn(.end), in: nil))),
      ("enqueue x", .player(.find(["x"], .turn(.enqueued), in: nil))),
      ("play-next", .player(.find([], .turn(.next), in: nil))),
      ("open ~/m.mp3", .player(.find(["~/m.mp3"], .played, in: nil))),
      ("remove", .remove), ("clear", .player(.edit(.clear))), ("undo", .player(.undo)), ("redo", .player(.redo)),
      ("move-track up", .moveTrack(-1)),
      ("save a.m3u8", .player(.save(BytePath("a.m3u8"), replacesOther: false, in: nil))),
      ("save! a", .player(.save(BytePath("a"), replacesOther: true, in: nil))),
      ("load 'b c.m3u'", .player(.find(["b c.m3u"], .whole, in: nil))), ("move page-up", .move(.pages(-1))),
      ("search Aria da capo", .search("Aria da capo")), ("search", .search(nil)), ("filter x", .filter("x")),
      ("view files", .show(.files)), ("cd /music", .changeFolder("/music")), ("command add", .prompt("add")),
      ("rename \"a b\"", .rename("a b")), ("rename a b", .rename("a b")), ("rename Don't Stop", .rename("Don't Stop")),
      ("rename 'x' y", .rename("'x' y")),
      ("set theme nord", .set(.theme, "nord")), ("set mouse = off", .set(.mouse, "off")),
      ("set crossfade 4", .player(.set(.crossfade, "4"))), ("set mouse=off", .set(.mouse, "off")),
      ("set music='/my music'", .player(.set(.music, "/my music"))),
      ("bind gg move first", .bind("gg", .move(.first))), ("bind ' mark a", .bind("'", .mark(.a))),
      ("bind # quit", .bind("#", .player(.quit(savesSession: true)))), ("unbind \\", .unbind("\\")),
      ("style playing fg=#2aa198 bold", .style(.playing, Appearance(.bold, foreground: Color(hex: 0x2aa198)))),
      ("quit # at once", .player(.quit(savesSession: true))), ("q", .player(.quit(savesSession: true))),
      ("sh off", .player(.setShuffle(false))), ("  mute  ", .player(.toggleMute)),
    ] as [(String, Action)])
  func `a line is an action`(line: String, action: Action) throws {
    #expect(try Action.parse(line) == action)
  }

  @Test(arguments: [
    ("colorscheme nord", "set theme=nord"), ("player-play", "play"), ("player-pause", "toggle"), ("wq", "quit"),
    ("pl-create Road trip", "playlist create Road trip"), ("q!", "quit without-saving"), ("unmark", "mark-row none"),
    ("move-album up", "move-track album up"),
    ("parent", "cd .."), ("remaining", "toggle remaining"), ("setup", "view setup"), ("e ~/a b", "open ~/a b"),
    ("w mix", "save mix"), ("win-add-q", "enqueue"), ("vol +5", "volume +5"), ("seek 1m", "seek 60"),
    ("seek -2h", "seek -7200"), ("seek +90s", "seek +90"), ("win-update", "library scan"),
    ("map x quit", "bind x quit"), ("lyrics", "view lyrics"), ("home", "view home"),
  ]) func `commands of cmus and vim are known`(line: String, own: String) throws {
    #expect(try Action.parse(line) == Action.parse(own))
  }

  @Test func `each of them is a command here, and none of ours`() throws {
    for (word, own) in foreignCommands {
      #expect(!ActionVerbs.all.contains { $0.name == word }, "\(word)")
      let verb = own.prefix { $0 != " " }
      #expect(ActionVerbs.all.contains { $0.name == verb }, "\(own)")
    }
    #expect(throws: CommandError.self) { try Action.parse("seek 1:30m") }
    #expect(throws: CommandError.self) { try Action.parse("seek m") }
  }

  @Test(arguments: ["", "   ", "# a comment", "  #"]) func `nothing and comments are nothing`(line: String) throws {
    #expect(try Action.parse(line) == nil)
  }

  @Test(
    arguments: [
      ("plya", 1, "unknown command \"plya\"; did you mean play?"), ("skip", 1, "; did you mean next?"),
      ("DELETE", 1, "; did you mean remove?"), ("shufle on", 1, "; did you mean shuffle?"), ("xyzzy", 1, "\"xyzzy\""),
      ("loop", 1, "; did you mean mark or repeat?"), ("single", 1, "; did you mean stop-after or repeat?"),
      ("update", 1, "; did you mean library?"),
      ("se", 1, "seek, session, search, search-next, search-previous or set"),
      ("seek", 5, "seek needs a time"), ("seek x", 6, "\"x\" is not a time"), ("seek 1:2:3:4", 6, "is not a time"),
      ("seek 101%", 6, "is not a time"), ("seek 1e9", 6, "is not a time"), ("volume 101", 8, "volume must be 0 to 100"),
      ("chapter", 8, "chapter needs next or previous"), ("chapter 4", 9, "chapter needs next or previous"),
      ("next song", 6, "unexpected \"song\". next stands alone"),
      ("set mouse=off on", 15, "unexpected \"on\". Names with spaces need quotes"),
      ("repeat two", 8, "\"two\" is not off, all, one"),
      ("quit -i", 6, "unexpected \"-i\". Only without-saving can stand here"),
      ("toggle aaa_mode", 8, "visualizer, panes or all-files; did you mean stop-after?"),
      ("set continue=false", 5, "\"continue\" (did you mean the command :stop-after each?)"),
      ("bind common q quit", 6, "keys apply in all views: write bind q quit, without common"),
      ("unbind -f common q", 8, "keys apply in all views"), ("fset jazz=x", 1, "; did you mean playlist?"),
      ("album in rainbows", 1, "; did you mean find?"), ("scan", 1, "; did you mean library?"),
      ("view nothing", 6, "home, queue, library"),
      ("cd 'open", 4, "the closing ' is missing"), ("cd x\\", 5, "a character is missing after"),
      ("mark", 5, "mark needs a, b, clear or cycle"),
      ("set mous", 5, "as in set mouse=off"), ("set mous=off", 5, "unknown setting \"mous\"; did you mean mouse?"),
      ("set xyzzy=1", 5, "unknown setting \"xyzzy\". Settings: keymap"),
      ("set mouse=of", 5, "unknown mouse \"of\". Choose on or off"),
      ("bind", 5, "a key is missing, as in bind C-n next"),
      ("bind x", 7, "bind x to what?"), ("bind S-x mute", 6, "\"S-x\" is not a key name"),
      ("bind x seek y", 13, "\"y\" is not a time"), ("bind x set mouse=off", 8, "cannot be bound"),
      ("style playing red", 15, "\"red\" is not fg=red"), ("style nothing", 7, "\"nothing\" is not plain"),
      ("style playing fg=reddish", 15, "is not fg=red"),
      ("theme=light", 1, "unknown command \"theme=light\". Write: set theme=light"),
      ("save", 5, "save needs a file name"),
    ] as [(String, Int, String)])
  func `an error is reported with its place`(line: String, column: Int, message: String) {
    var error: CommandError?
    do throws(CommandError) { _ = try Action.parse(line) } catch let found { error = found }
    #expect(error?.column == column, "\(error?.description ?? "understood")")
    #expect(error?.message.contains(message) == true, "\(error?.description ?? "understood")")
  }

  @Test func `every key of the manual can be written as a command, and read again`() throws {
    for binding in KeyMap.standard.bindings {
      #expect(try Action.parse(binding.action.text) == binding.action, "\(binding.action.text)")
      for keys in binding.keys {
        let bind = Action.bind(keys, binding.action)
        #expect(try Action.parse(bind.text) == bind, "\(bind.text)")
      }
    }
    for style in Style.allCases {
      let action = Action.style(style, Appearance([.bold, .reverse], foreground: 7, background: Color(hex: 0x01)))
      #expect(try Action.parse(action.text) == action)
    }
    for name in ["a b", "it's", "\"", "\\", "#", ""] {
      let save = Action.player(.save(BytePath(name), replacesOther: false, in: nil))
      #expect(try Action.parse(save.text) == save)
      #expect(try Action.parse(Action.rename(name).text) == .rename(name))
    }
  }

  @Test func `a time alone seeks there`() throws {
    #expect(try Action.parse("1:23:45") == .player(.playback(.seek(to: 5025))))
    #expect(try Action.parse("83:45") == Action.parse("1:23:45"))
    #expect(try Command.parse("0:07.5") == .playback(.seek(to: 7.5)))
    for line in ["83", "1:2:3:4", "1:x", ":"] { #expect(throws: CommandError.self) { try Action.parse(line) } }
  }

  @Test func `names with spaces need no quotes where nothing follows them`() throws {
    let name = BytePath("Evening Mix")
    for line in ["save Evening Mix", "save 'Evening Mix'", "save Evening\\ Mix"] {
      #expect(try Action.parse(line) == .player(.save(name, replacesOther: false, in: nil)))
    }
    #expect(try Action.parse("playlist save Evening Mix") == Action.parse("playlist save 'Evening Mix'"))
    #expect(try Action.parse("playlist delete Evening Mix") == Action.parse("playlist delete 'Evening Mix'"))
    guard case .player(.find(let names, .whole, in: nil))? = try Action.parse("load Evening Mix") else {
      Issue.record("no load")
      return
    }
    #expect(names.text == "Evening Mix")
  }

  @Test func `a word that is a command stands for no other one`() {
    let names = Set(ActionVerbs.all.map(\.name))
    for (name, words) in commandSynonyms {
      #expect(names.contains(name) && names.isDisjoint(with: words), "\(words) for \(name)")
    }
  }

  @Test func `every command has a unique name and help`() {
    #expect(Set(ActionVerbs.all.map(\.name)).count == ActionVerbs.all.count)
    #expect(ActionVerbs.all.allSatisfy { !$0.help.isEmpty })
  }

  @Test(arguments: 0..<20) func `lines of any characters do no harm`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "seek", " ", "'", "\"", "\\", "#", "bind", "set", "=", "<", ">", "C-", "é", "\u{1b}", "%", ":", "+", "9",
    ]
    for _ in 0..<300 {
      let line = (0..<8).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      _ = try? Action.parse(line)
      _ = Completion(line, Configuration())
    }
  }
}
