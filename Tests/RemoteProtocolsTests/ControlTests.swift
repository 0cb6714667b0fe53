import AudioModel
import AudioOutput
import ByteIO
import Playback
import Testing

@testable import Commands
@testable import RemoteProtocols

/// The dialect of the control socket: JSON lines and plain lines.
struct ControlTests {
  private var connection = ControlConnection(program: "1.2", process: 77)

  @Test mutating func `the first line contains the version of the protocol`() {
    #expect(
      sent(connection.handle(.opened, playingSnapshot()))
        == "{\"event\":\"hello\",\"protocol\":1,\"version\":\"1.2\",\"pid\":77}\n")
  }

  @Test mutating func `a command is answered after its effect, with the number of its request`() {
    let effects = connection.hear(#"{"command":["seek","+10"],"request_id":7}"#)
    #expect(commands(effects) == [.playback(.seekBy(10))])
    #expect(sent(effects) == "" && connection.isBusy)
    let answer = sent(connection.handle(.answered(.done(nil)), playingSnapshot()))
    #expect(
      answer == #"{"request_id":7,"error":"success","data":{"state":"playing","reason":"user","position":12.5,"#
        + #""duration":215,"frame":551250,"sampleRate":44100}}"# + "\n")
    #expect(!connection.isBusy)
  }

  @Test(arguments: [
    (#"{"command":"volume 50"}"#, Command.setVolume(0.5)),
    (#"{"command":["volume",50]}"#, .setVolume(0.5)),
    (#"{"command":["shuffle",true]}"#, .setShuffle(true)),
    (#"  {"command":["open","/a b/'c\".mp3"]}"#, .find(["/a b/'c\".mp3"], .played, in: nil)),
    ("pause", .playback(.pause)),
    ("  seek 1:30 # a comment", .playback(.seek(to: 90))),
  ])
  mutating func `words are those of the command language`(line: String, command: Command) {
    #expect(commands(connection.hear(line)) == [command])
  }

  @Test func `the status of a card says whether it gets the samples as they are`() {
    var player = playingSnapshot()
    player.snapshot.route = AudioRoute(device: "hw:0", description: "Card", changes: "")
    let card = #"{"device":"hw:0","description":"Card","exact":"#
    #expect(player.value(of: .output).description == card + "true}")
    let before = player
    player.snapshot.speed = 2
    #expect(player.value(of: .output).description == card + #"false,"notExact":"another speed"}"#)
    #expect(player.changes(since: before).contains(.output))
    player.snapshot.route?.changes = nil
    #expect(player.value(of: .output).description == #"{"device":"hw:0","description":"Card"}"#)
  }

  @Test mutating func `the status waits for rating and love, and names the chapter`() {
    var player = playingSnapshot()
    player.snapshot.information.tags.chapters = [.init(start: 0, title: "One"), .init(start: 60, title: "Two")]
    for (path, facts) in [("b", #""chapter":"One","rating":7,"loved":true,"#), ("c", #""chapter":"One","duration""#)] {
      let effects = connection.hear(#"{"command":["status"]}"#, player)
      guard case .ask(.library(.track(let asked), loaded: nil))? = effects.first, effects.count == 1 else {
        Issue.record("the library is not asked")
        return
      }
      #expect(asked == BytePath("/music/b.flac") && connection.isBusy)
      let heard = Answer.library(.track(HeardTrack(rating: 7, isLoved: true), of: BytePath("/music/\(path).flac")))
      #expect(sent(connection.handle(.found(heard), player)).contains(facts) && !connection.isBusy)
    }
    #expect(sent(connection.hear("status", PlayerSnapshot())).contains(#""state":"stopped""#), "without a track")
  }

  @Test mutating func `plain lines are answered with a line`() {
    _ = connection.hear("pause")
    #expect(sent(connection.handle(.answered(.done(nil)), playingSnapshot())) == "ok\n")
    _ = connection.hear("speed")
    #expect(sent(connection.handle(.answered(.done("speed is 1")), playingSnapshot())) == "ok: speed is 1\n")
    _ = connection.hear("undo")
    #expect(
      sent(connection.handle(.answered(.refused("nothing to undo")), playingSnapshot())) == "error: nothing to undo\n")
    #expect(sent(connection.hear("format '{artist} - {title}'")) == "Band - Song\n")
    #expect(connection.hear("").isEmpty && connection.hear("# nothing").isEmpty)
  }

  @Test mutating func `levels are those of the moment, in decibels`() throws {
    let effects = connection.hear(#"{"command":["levels"],"request_id":3}"#)
    guard case .listen(let answer)? = effects.first, effects.count == 1 else {
      Issue.record("nobody is asked for levels")
      return
    }
    let levels = [AudioLevel(average: 0.1, peak: 0.5), AudioLevel(average: 0, peak: 0)]
    #expect(
      sent([answer(levels)]) == #"{"request_id":3,"error":"success","data":[{"peak":-6,"rms":-20},"#
        + #"{"peak":null,"rms":null}]}"# + "\n")
    #expect(sent([answer([])]) == #"{"request_id":3,"error":"success","data":[]}"# + "\n" && !connection.isBusy)
  }

  @Test(arguments: [
    (
      #"{"command":["jump"],"request_id":"x"}"#,
      #"{"request_id":"x","error":"invalid command","message":"unknown command \"jump\""}"#
    ),
    (#"{"command":[]}"#, #"{"error":"invalid command","message":"the command is empty"}"#),
    (#"{"command":[[]]}"#, #"{"error":"invalid request","message":"words of a command are texts or numbers"}"#),
    (#"{"request_id":1}"#, #"{"request_id":1,"error":"invalid request","message":"write {\"command\":[\"pause\"]}"}"#),
    (#"{"command":"#, #"{"error":"invalid request","message":"not JSON at byte 12: a value is expected"}"#),
    (#"{"command":["goto",9]}"#, #"{"error":"refused","message":"the queue has 3 rows"}"#),
    (#"{"command":["move",1,9]}"#, #"{"error":"refused","message":"the queue has 3 rows"}"#),
    ("jump", #"error: unknown command "jump""#),
    (
      "observe sunshine",
      #"error: cannot observe "sunshine". Choose state, position, track, volume, "#
        + "queue, modes, settings, output, stream or events"
    ),
  ])
  mutating func `a request that cannot be obeyed is answered with the reason`(line: String, answer: String) {
    let effects = connection.hear(line)
    #expect(sent(effects) == answer + "\n")
    #expect(commands(effects).isEmpty && !connection.isBusy)
  }

  @Test mutating func `bytes that are not UTF-8 are refused`() {
    #expect(sent(connection.handle(.line([0x70, 0xff]), playingSnapshot())) == "error: the line is not UTF-8\n")
    let json = Array("{\"command\":[\"\u{1}".utf8) + [0xff] + Array("\"]}".utf8)
    #expect(sent(connection.handle(.line(json), playingSnapshot())).contains("invalid request"))
  }

  @Test mutating func `only observed properties are reported, at first with their present values`() {
    #expect(connection.handle(.changed([.volume, .state]), playingSnapshot()).isEmpty)
    #expect(
      sent(connection.hear(#"{"command":["observe","volume"],"request_id":1}"#))
        == #"{"request_id":1,"error":"success","data":null}"# + "\n"
        + #"{"event":"change","name":"volume","data":{"volume":80,"muted":false}}"# + "\n")
    var picture = playingSnapshot()
    picture.volume = 0.3
    #expect(
      sent(connection.handle(.changed([.volume, .state]), picture))
        == #"{"event":"change","name":"volume","data":{"volume":30,"muted":false}}"# + "\n")
    _ = connection.hear("unobserve")
    #expect(connection.handle(.changed(.volume), picture).isEmpty)
  }

  @Test mutating func `events have the vocabulary of the option events`() {
    let notices: [PlaybackNotice] = [.seeked(to: 3), .needsNext(after: 1)]
    let events = notices.compactMap { $0.eventMembers(current: nil) } + [eventMembers(said: "1 track added")]
    #expect(connection.handle(.events(events), playingSnapshot()).isEmpty)
    _ = connection.hear("observe events")
    #expect(
      sent(connection.handle(.events(events), playingSnapshot()))
        == #"{"event":"seek","position":3,"track":null}"# + "\n"
        + #"{"event":"message","message":"1 track added"}"# + "\n")
  }

  @Test mutating func `rows of the queue are played, removed and moved`() {
    let picture = playingSnapshot()
    let ids = picture.queue.entries.map(\.id)
    #expect(commands(connection.hear("goto 3")) == [.play(ids[2])])
    _ = connection.handle(.answered(.done(nil)), picture)
    #expect(commands(connection.hear("remove 1")) == [.edit(.remove([ids[0]]))])
    _ = connection.handle(.answered(.done(nil)), picture)
    #expect(commands(connection.hear("move 3 1")) == [.edit(.move([ids[2]], by: -2))])
    _ = connection.handle(.answered(.done(nil)), picture)
    let asked = connection.hear("queue 2 9")
    guard case .ask(.facts(let entries))? = asked.first, asked.count == 1 else {
      Issue.record("no tags are read")
      return
    }
    #expect(entries.map(\.id) == [ids[1], ids[2]] && connection.isBusy)
    let rows = sent(connection.handle(.found(.done), picture))
    #expect(!connection.isBusy)
    #expect(rows.contains(#"{"row":2,"id":1,"path":"/music/b.flac","name":"b.flac","current":true}"#))
    #expect(!rows.contains(#""row":1"#) && rows.contains(#""row":3"#))
  }

  @Test func `changes between pictures are those that can be seen`() {
    let old = playingSnapshot()
    var new = old
    #expect(new.changes(since: old) == [])
    new.now = .zero + .seconds(99)
    new.volume = 0.1
    #expect(new.changes(since: old) == .volume)
    new.snapshot.state = .paused
    new.queue.repeatMode = .all
    #expect(new.changes(since: old) == [.volume, .state, .modes])
    new.snapshot.information.tags.title = "Other"
    #expect(new.changes(since: old).contains(.track))
  }
}

/// Reading JSON.
struct JSONParsingTests {
  @Test(arguments: [
    #"{"a":[1,-2.5,true,false,null,"x\"\\\n"]}"#, "[]", "{}", "\"\"", "0", #"[{"a":{}},[[]]]"#,
  ])
  func `a value that was read is written the same`(text: String) throws {
    #expect(try JSON(parsing: text.utf8).description == text)
  }

  @Test func `escapes are characters`() throws {
    #expect(try JSON(parsing: #""\u00e9\ud83c\udfb5\/\t""#.utf8).text == "é🎵/\t")
    #expect(try JSON(parsing: " [ 1 , { \"a\" : 2 } ] ".utf8).description == #"[1,{"a":2}]"#)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\"}", "{a:1}", "nul", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"", "01x", "1e999",
    "--1", "+1",
    "[1] 2", "\"\u{1}\"", "NaN", String(repeating: "[", count: 100_000),
  ])
  func `anything else is refused with a place`(text: String) {
    #expect(throws: JSON.SyntaxError.self) { try JSON(parsing: text.utf8) }
  }

  @Test func `random bytes are read or refused`() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("{}[]\",:0123456789.eE+-\\u tfn".utf8) + [0xff, 0]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      if let value = try? JSON(parsing: bytes) { #expect((try? JSON(parsing: value.description.utf8)) != nil) }
    }
  }
}

/// Lines for status bars.
struct StatusTemplateTests {
  @Test(arguments: [
    ("{artist} - {title} {position}/{duration}", "Band - Song 0:12/3:35"),
    ("{sign} {volume}% {row}/{length}", "▶ 80% 2/3"),
    ("[{station} ]{title}", "Song"),
    ("[{artist} ]{title}", "Band Song"),
    ("{station|artist}", "Band"),
    ("{station}", ""),
    ("\\{x\\} \\[\\n", "{x} [\n"),
    ("[a[{station}b]{album}]", "aRecord"),
    ("{remaining} {percent}", "3:22 5"),
  ])
  func `fields are replaced, and parts without known fields left out`(template: String, text: String) throws {
    #expect(try StatusTemplate(template).text(playingSnapshot()) == text)
  }

  @Test func `the chapter is that of the position`() throws {
    var player = playingSnapshot()
    player.snapshot.information.tags.chapters = [.init(start: 10, title: "One"), .init(start: 60, title: "Two")]
    #expect(try StatusTemplate("{chapter}").text(player) == "One")
    player.snapshot.clock.position = 3
    #expect(try StatusTemplate("[{chapter}: ]{title}").text(player) == "Song")
  }

  @Test(arguments: [
    "{", "{nothing}", "[x", "x\\", String(repeating: "[", count: 50_000), String(repeating: "{title}", count: 101),
  ])
  func `anything else is refused`(template: String) {
    #expect(throws: StatusTemplate.SyntaxError.self) { try StatusTemplate(template) }
  }

  @Test func `a field of a format is one line, and its data are the truth`() {
    var picture = playingSnapshot()
    picture.snapshot.information.tags.title = "A\nstate playing\u{1b}[2J\0"
    var connection = ControlConnection(program: "0", process: 1)
    let answer = sent(connection.hear(#"{"command":["format","{title}\\n{artist}"]}"#, picture))
    #expect(answer.contains(#""data":"A\nstate playing\u001b[2J\nBand""#), "\(answer)")
    #expect(answer.contains("\"message\":\"A\u{fffd}state playing\u{fffd}[2J\u{fffd}\\nBand\""), "\(answer)")
    let plain = sent(connection.hear(#"{"command":["format","{artist}"]}"#))
    #expect(plain == "{\"error\":\"success\",\"data\":\"Band\"}\n")
  }
}
