import AudioModel
import ByteIO
import Library
import Playback
import SignalProcessing
import Testing

@testable import Commands
@testable import RemoteProtocols

/// The dialect of the Music Player Daemon.
struct MPDTests {
  private var connection = greetedMPDConnection()
  private let picture: PlayerSnapshot = {
    var picture = playingSnapshot()
    for entry in picture.queue.entries { picture.facts[entry.id] = TrackFacts() }
    return picture
  }()

  /// The bytes of the answer to a line; commands are obeyed.
  private mutating func answer(_ line: String, refusing: Bool = false) -> String {
    var effects = connection.handle(.line(Array(line.utf8)), picture)
    var text = ""
    for _ in 0..<100 {
      text += sent(effects)
      guard !commands(effects).isEmpty else { break }
      effects = connection.handle(.answered(refusing ? .refused("no") : .done(nil)), picture)
    }
    return text
  }

  @Test func `the greeting comes when it is known whether there is a library`() {
    var connection = MPDConnection(places: MPDPlaces(music: BytePath("/music"), playlists: nil), start: .zero)
    guard case .ask(.librarySummary)? = connection.handle(.opened, picture).first else {
      Issue.record("no question")
      return
    }
    #expect(connection.isBusy)
    #expect(sent(connection.handle(.found(.done), picture)) == "OK MPD 0.24.0\n")
    #expect(!connection.isBusy)
  }

  @Test mutating func `the status is in the order of MPD`() {
    #expect(
      answer("status") == """
        volume: 80
        repeat: 0
        random: 0
        single: 0
        consume: 0
        partition: default
        playlist: 1
        playlistlength: 3
        mixrampdb: 0
        state: play
        song: 1
        songid: 2
        time: 12:215
        elapsed: 12.500
        bitrate: 0
        duration: 215.000
        audio: 44100:f:2
        nextsong: 2
        nextsongid: 3
        OK

        """)
  }

  @Test func `the output devices are outputs; to enable one moves the sound there`() {
    var picture = picture
    picture.outputs.devices = AudioDevices(
      [AudioRoute(device: "pci", description: "Built-in"), AudioRoute(device: "usb", description: "USB\nDAC")],
      standard: "pci")
    picture.outputs.present = "pci"
    var connection = greetedMPDConnection()
    func effects(_ line: String) -> [RemoteEffect] { connection.handle(.line(Array(line.utf8)), picture) }
    let rows =
      "outputid: 0\noutputname: Built-in\nplugin: pulse\noutputenabled: 1\n"
      + "outputid: 1\noutputname: USB DAC\nplugin: pulse\noutputenabled: 0\n"
    #expect(sent(effects("outputs")) == rows + "OK\n")
    for line in ["enableoutput 0", "disableoutput 1"] { #expect(sent(effects(line)) == "OK\n") }
    for line in ["disableoutput 0", "toggleoutput 0"] { #expect(sent(effects(line)).hasPrefix("ACK [5@0]")) }
    for line in ["enableoutput 2", "toggleoutput 9"] {
      #expect(sent(effects(line)).hasSuffix("No such audio output\n"))
    }
    for line in ["enableoutput 1", "toggleoutput 1"] {
      #expect(commands(effects(line)) == [.setOutput("usb")])
      _ = connection.handle(.answered(.done(nil)), picture)
    }
    let before = picture
    picture.outputs.present = "usb"
    #expect(picture.changes(since: before) == [.output])
  }

  @Test mutating func `songs have names below the music folder, and the tags that are wanted`() {
    let song =
      "file: b.flac\nFormat: 44100:f:2\nArtist: Band\nTitle: Song\nAlbum: Record\nTrack: 2\nDate: 1999\nGenre: Rock\nTime: 215\nduration: 215.000\nPos: 1\nId: 2\n"
    #expect(answer("currentsong") == song + "OK\n")
    #expect(answer("playlistinfo 1") == song + "OK\n")
    #expect(answer("playlistid 2") == song + "OK\n")
    #expect(answer("playlistinfo") == "file: a.flac\nPos: 0\nId: 1\n\(song)file: c.flac\nPos: 2\nId: 3\nOK\n")
    _ = answer("tagtypes clear")
    // As mpc asks for it: also for tags that no song has here.
    #expect(answer("tagtypes enable title musicbrainz_albumid \"TitleSort\"") == "OK\n")
    #expect(answer("tagtypes enable nothing") == "ACK [2@0] {tagtypes} Unknown tag type\n")
    #expect(
      answer("playlistinfo 1:2")
        == "file: b.flac\nFormat: 44100:f:2\nTitle: Song\nTime: 215\nduration: 215.000\nPos: 1\nId: 2\nOK\n")
  }

  @Test mutating func `a limit of binary parts beyond ours is taken as ours`() {
    // The second is the one that rmpc sets when it connects.
    for (limit, bytes) in [(64, 64), (5_242_880, 1 << 22), (2_000_000_000, 1 << 22)] {
      #expect(answer("binarylimit \(limit)") == "OK\n")
      let effects = connection.handle(.line(Array("albumart a.flac 0".utf8)), picture)
      guard case .ask(.coverPart(_, _, _, bytes))? = effects.first else {
        Issue.record("\(limit)")
        continue
      }
      _ = connection.handle(.found(.done), picture)
    }
  }

  @Test func `a stored playlist is searched, in its order`() {
    let songs = ["b/1.mp3", "a/2.mp3", "c/x.mp3", "b/1.mp3"]
    let items = songs.map { name in
      var item = DiskItem(kind: .song, location: .file(BytePath("/music/" + name)))
      item.facts = TrackFacts()
      item.facts?.title = name.hasSuffix("x.mp3") ? "Else" : "A song"
      return item
    }
    for (line, names) in [
      ("searchplaylist mix title SONG", [0, 1, 3]), ("searchplaylist mix title nothing", []),
      ("searchplaylist mix \"(title contains 'song')\" window 1:3", [1, 3]),
    ] {
      var connection = greetedMPDConnection()
      let effects = connection.handle(.line(Array(line.utf8)), picture)
      guard case .ask(.songs(let question))? = effects.first else {
        Issue.record("\(line): \(effects)")
        continue
      }
      let text = sent(connection.handle(.found(question.question.answer(items)), picture))
      let files = text.split(separator: "\n").filter { $0.hasPrefix("file: ") }
      #expect(files.map { String($0) } == names.map { "file: " + songs[$0] }, "\(text)")
      #expect(text.hasSuffix("OK\n"))
    }
    var connection = greetedMPDConnection()
    _ = connection.handle(.line(Array("searchplaylist none title x".utf8)), picture)
    let answer = sent(connection.handle(.found(.missing), picture))
    #expect(answer == "ACK [50@0] {searchplaylist} No such playlist\n")
  }

  // The words of MPD 0.23.12.
  @Test(arguments: [
    ("foo", "ACK [5@0] {} unknown command \"foo\"\n"),
    ("play 1 2 3", "ACK [2@0] {play} too many arguments for \"play\"\n"),
    ("play x", "ACK [2@0] {play} Integer expected: x\n"), ("play 99", "ACK [2@0] {play} Bad song index\n"),
    ("playid 99", "ACK [50@0] {playid} No such song\n"),
    ("playlistinfo 9", "ACK [2@0] {playlistinfo} Bad song index\n"),
    ("deleteid", "ACK [2@0] {deleteid} wrong number of arguments for \"deleteid\"\n"),
    ("deleteid 77", "ACK [50@0] {deleteid} No such song\n"),
    ("repeat 2", "ACK [2@0] {repeat} Boolean (0/1) expected: 2\n"),
    ("consume x", "ACK [2@0] {consume} Unrecognized consume mode, expected 0, 1, or oneshot\n"),
    ("single 2", "ACK [2@0] {single} Unrecognized single mode, expected 0, 1, or oneshot\n"),
    ("prio 256 0", "ACK [2@0] {prio} Number too large: 256\n"), ("prio 1 9", "ACK [2@0] {prio} Bad song index\n"),
    ("prio 1", "ACK [2@0] {prio} too few arguments for \"prio\"\n"),
    ("prioid 1 77", "ACK [50@0] {prioid} No such song\n"),
    (
      "playlistfind \"(title =~ '(')\"",
      "ACK [2@0] {playlistfind} Error in regex at offset 1: missing closing parenthesis\n"
    ),
    ("binarylimit 10", "ACK [2@0] {binarylimit} Value too small\n"),
    ("password x", "ACK [3@0] {password} incorrect password\n"),
    ("sticker get song a x", "ACK [5@0] {sticker} sticker database is disabled: there is no library\n"),
    ("sendmessage b c", "ACK [50@0] {sendmessage} nobody is subscribed to this channel\n"),
    ("move 1:2 9", "ACK [2@0] {move} Bad song index\n"), ("move 0 +2", "ACK [2@0] {move} Bad song index\n"),
    ("move 1 +0", "ACK [2@0] {move} Cannot move current song relative to itself\n"),
    ("status \"x", "ACK [5@0] {} Missing closing '\"'\n"),
    ("list nothing", "ACK [2@0] {list} Unknown tag type: nothing\n"),
  ])
  mutating func `failures have MPD's numbers and words`(line: String, answer: String) {
    #expect(self.answer(line) == answer)
  }

  @Test(arguments: [
    ("play", [Command.resume]), ("play 2", [.play(2)]), ("playid 1", [.play(0)]), ("pause 1", [.playback(.pause)]),
    ("pause 0", [.resume]), ("pause", [.playback(.pause)]), ("stop", [.playback(.stop)]), ("next", [.next]),
    ("seekcur 30", [.playback(.seek(to: 30))]), ("seekcur +5", [.playback(.seekBy(5))]),
    ("seekid 2 7.5", [.playback(.seek(to: 7.5))]), ("setvol 30", [.setVolume(0.3)]),
    ("volume -5", [.changeVolume(by: -0.05)]), ("random 1", [.setShuffle(true)]), ("repeat 1", [.setRepeat(.all)]),
    ("crossfade 4", [.set(.crossfade, "4")]), ("replay_gain_mode album", [.changeSound(.gain(.album))]),
    ("single oneshot", [.stopAfter(.track)]), ("single 1", [.stopAfter(.each)]), ("consume 1", [.consume(.on)]),
    ("consume 0", [.consume(.off)]), ("consume oneshot", [.consume(.once)]),
    ("prio 9 0 1:", [.edit(.prioritize([0, 1, 2], 9))]), ("prioid 0 3 1", [.edit(.prioritize([2, 0], 0))]),
    ("deleteid 1", [.edit(.arrange([1, 2]))]),
    ("move 0 2", [.edit(.arrange([1, 2, 0]))]), ("move 0:2 1", [.edit(.arrange([2, 0, 1]))]),
    ("swap 0 2", [.edit(.arrange([2, 1, 0]))]),
    ("add \"x y.mp3\"", [.collect([BytePath("/music/x y.mp3")], .turn(.end))]),
    ("add /abs/z.mp3", [.collect([BytePath("/abs/z.mp3")], .turn(.end))]), ("clear", [.edit(.clear)]),
    // Some clients mean the whole music folder.
    ("add /", [.collect([BytePath("/music")], .turn(.end))]),
    // From the current row on, which is counted without those that are moved.
    ("move 0 +0", [.edit(.arrange([1, 0, 2]))]), ("move 0 -0", [.edit(.arrange([0, 1, 2]))]),
    ("move 2 -0", [.edit(.arrange([0, 2, 1]))]), ("moveid 1 +1", [.edit(.arrange([1, 2, 0]))]),
  ])
  mutating func `commands of MPD are commands of the player`(line: String, expected: [Command]) {
    #expect(commands(connection.handle(.line(Array(line.utf8)), picture)) == Array(expected.prefix(1)))
    #expect(connection.isBusy)
  }

  @Test(arguments: [("pause 1", [Command.playback(.pause)]), ("pause", [.playback(.pause)]), ("pause 0", [])])
  mutating func `a pause before the first picture of the music reaches the engine`(line: String, expected: [Command]) {
    #expect(commands(connection.handle(.line(Array(line.utf8)), PlayerSnapshot())) == expected)
  }

  @Test mutating func `a queue that is cleared before the first picture of the music falls silent`() {
    _ = connection.handle(.line(Array("clear".utf8)), PlayerSnapshot())
    #expect(commands(connection.handle(.answered(.done(nil)), PlayerSnapshot())) == [.playback(.stop)])
  }

  /// The effects of `addid`, after its question whether that is a song.
  private mutating func addedSong(_ name: String, _ position: String = "") -> [RemoteEffect] {
    guard case .ask(.listing)? = connection.hear("addid \(name) \(position)", picture).first else { return [] }
    return connection.handle(
      .found(.items([DiskItem(kind: .song, location: .file(BytePath("/music/\(name)")))])), picture)
  }

  @Test mutating func `addid adds no folder`() {
    _ = connection.hear("addid Album", picture)
    let items = [DiskItem(kind: .song, location: .file(BytePath("/music/Album/a.flac")))]
    #expect(sent(connection.handle(.found(.items(items)), picture)) == "ACK [50@0] {addid} No such song\n")
  }

  @Test mutating func `addid answers its own song, though another client adds some meanwhile`() {
    var picture = picture
    #expect(commands(addedSong("d.flac", "0")).count == 1)
    picture.queue.append(["x", "d"].map { .file(BytePath("/music/\($0).flac")) })
    let ids = picture.queue.entries.map(\.id)
    let effects = connection.handle(.answered(.added(ids[4]..<ids[4] + 1, nil)), picture)
    #expect(commands(effects) == [.edit(.arrange([4, 0, 1, 2, 3].map { ids[$0] }))])
    #expect(sent(connection.handle(.answered(.done(nil)), picture)) == "Id: \(ids[4] + 1)\nOK\n")
  }

  @Test(arguments: [(PlaybackState.playing, Command.next), (.paused, .playback(.stop))])
  mutating func `the next song plays after one that is removed while it plays`(state: PlaybackState, then: Command) {
    var picture = picture
    picture.snapshot.state = state
    #expect(commands(connection.hear("delete 1", picture)) == [.edit(.arrange([0, 2]))])
    #expect(commands(connection.handle(.answered(.done(nil)), picture)) == [then])
  }

  @Test(arguments: [
    (
      PlayQueue.RepeatMode.off, PlayQueue.StopPoint.each, "repeat 1",
      [Command.stopAfter(PlayQueue.StopPoint.none), .setRepeat(.one)]
    ),
    (.all, .none, "single 1", [.setRepeat(.one)]), (.one, .none, "repeat 0", [.setRepeat(.off), .stopAfter(.each)]),
    (.off, .track, "repeat 1", [.setRepeat(.all)]), (.one, .none, "single 0", [.setRepeat(.all)]),
    (.one, .none, "repeat 1", []),
  ])
  mutating func `repeat and single keep each other`(
    mode: PlayQueue.RepeatMode, stop: PlayQueue.StopPoint, line: String, expected: [Command]
  ) {
    var picture = picture
    (picture.queue.repeatMode, picture.queue.stopPoint) = (mode, stop)
    var effects = connection.hear(line, picture)
    for command in expected {
      #expect(commands(effects) == [command])
      effects = connection.handle(.answered(.done(nil)), picture)
    }
    #expect(sent(effects) == "OK\n")
  }

  @Test(arguments: [
    ("playlistsearch file FLAC window 1:3", [2, 3]), ("playlistfind file a.flac", [1]),
    ("playlistsearch file flac sort -Title window 0:2", [2, 1]), ("playlistsearch file flac sort Title", [1, 3, 2]),
  ])
  mutating func `songs of the queue are found in an order and in part`(line: String, ids: [Int]) {
    let lines = answer(line).split(separator: "\n").filter { $0.hasPrefix("Id: ") }
    #expect(lines == ids.map { "Id: \($0)" })
  }

  @Test mutating func `refusals of the player have MPD's form`() {
    #expect(answer("add nothing", refusing: true) == "ACK [50@0] {add} No such directory\n")
    _ = answer("addid nothing")
    #expect(sent(connection.handle(.found(.missing), picture)) == "ACK [50@0] {addid} No such song\n")
    #expect(connection.handle(.line(Array("add ../etc".utf8)), picture).count == 1 && !connection.isBusy)
  }

  @Test mutating func `lists are executed to their first failure, which has its place`() {
    #expect(
      answer("command_list_ok_begin") + answer("ping") + answer("getvol") + answer("command_list_end")
        == "list_OK\nvolume: 80\nlist_OK\nOK\n")
    #expect(
      answer("command_list_begin") + answer("getvol") + answer("play 99") + answer("ping") + answer("command_list_end")
        == "volume: 80\nACK [2@1] {play} Bad song index\n")
    // Commands that wait for the player, in the midst of others.
    #expect(
      answer("command_list_begin") + answer("setvol 3") + answer("getvol") + answer("command_list_end")
        == "volume: 80\nOK\n")
  }

  @Test mutating func `the queue has several values of a tag one by one, and finds each`() {
    var tags = TrackTags()
    tags.genre = "Rock; Pop"
    tags.fields[.genre] = ["Rock", "Pop"]
    tags.fields[.performers] = ["Anna", "Bert"]
    tags.fields[.ensemble] = ["Orchestra"]
    tags.fields[.location] = ["Hall"]
    tags.fields[.releaseID] = ["5b11f4ce"]
    tags.fields[.originalDate] = ["1971"]
    var information = MediaInformation()
    information.tags = tags
    var picture = picture
    picture.facts[0] = TrackFacts(information)
    func lines(_ line: String) -> [String] {
      sent(connection.hear(line, picture)).split(separator: "\n").map(String.init)
    }
    let all = [
      "file: a.flac", "Genre: Rock", "Genre: Pop", "OriginalDate: 1971", "MUSICBRAINZ_ALBUMID: 5b11f4ce",
      "Performer: Anna", "Performer: Bert", "Ensemble: Orchestra", "Location: Hall", "Pos: 0", "Id: 1", "OK",
    ]
    #expect(lines("playlistinfo 0") == all)
    for line in ["playlistfind genre Pop", "playlistfind \"(performer == 'Anna')\"", "playlistsearch any 5b11"] {
      #expect(lines(line) == all, "\(line)")
    }
    #expect(lines("playlistfind genre \"Rock; Pop\"") == ["OK"])
    #expect(lines("tagtypes").contains("tagtype: MUSICBRAINZ_WORKID") && lines("tagtypes").contains("tagtype: Comment"))
  }

  @Test mutating func `no line is longer than clients read, and no name is cut`() throws {
    var picture = picture
    var facts = TrackFacts()
    (facts.title, facts.artist) = ("x" + String(repeating: "é", count: 9000), String(repeating: "a", count: 4095))
    picture.facts[0] = facts
    let long = MediaLocation.url("http://host/" + String(repeating: "a", count: 5000))
    picture.queue.append([long])
    picture.facts[3] = TrackFacts()
    picture.channels = [String(repeating: "c", count: 4000)]
    for line in [
      "playlistinfo", "playlist", "channels", "\(String(repeating: "z", count: 5000))",
      "add \(String(repeating: "/z", count: 3000))", "subscribe \(String(repeating: "z", count: 5000))",
    ] {
      for line in answer(to: line, picture).split(separator: "\n") {
        #expect(line.utf8.count < 4095, "\(line.prefix(50))")
      }
    }
    let lines = answer(to: "playlistinfo", picture).split(separator: "\n")
    #expect(lines.contains { $0 == "Title: x" + String(repeating: "é", count: 2043) }, "cut between characters")
    #expect(lines.contains { $0.hasPrefix("Artist: aaa") && $0.utf8.count == 4094 })
    let names = lines.filter { $0.hasPrefix("file: ") }.map { $0.dropFirst(6) }
    #expect(names.count == 4)
    let name = try #require(names.last)
    #expect(name.hasPrefix("segue://long-name/"))
    #expect(answer(to: "add \(name)", picture) == "ACK [50@0] {add} No such song\n")
  }

  private mutating func answer(to line: String, _ picture: PlayerSnapshot) -> String {
    var effects = connection.hear(line, picture)
    while connection.isBusy { effects += connection.handle(.answered(.refused("no")), picture) }
    return sent(effects)
  }

  @Test mutating func `clients give tags to addresses`() {
    var picture = picture
    picture.queue.append([.url("http://host/x")])
    picture.facts[3] = TrackFacts()
    func answer(_ line: String) -> String {
      var effects = connection.hear(line, picture)
      for case .giveTags(let tags, let id) in effects { picture.givenTags[id] = tags }
      if connection.isPaused { effects += connection.handle(.resumed, picture) }
      return sent(effects)
    }
    #expect(answer("addtagid 4 title One") + answer("addtagid 4 Name Radio") == "OK\nOK\n")
    #expect(answer("playlistid 4") == "file: http://host/x\nTitle: One\nName: Radio\nPos: 3\nId: 4\nOK\n")
    #expect(answer("playlistfind title One").contains("Id: 4"))
    #expect(answer("command_list_begin") + answer("cleartagid 4 Title") + answer("playlistid 4") == "")
    #expect(answer("command_list_end") == "file: http://host/x\nName: Radio\nPos: 3\nId: 4\nOK\n")
    #expect(answer("cleartagid 4") == "OK\n" && picture.givenTags[3] == [])
    #expect(answer("addtagid 1 Title x") == "ACK [4@0] {addtagid} Cannot edit tags of local file\n")
    #expect(answer("cleartagid 9") == "ACK [50@0] {cleartagid} No such song\n")
    #expect(answer("addtagid 4 foo x") == "ACK [2@0] {addtagid} Unknown tag type: foo\n")
  }

  @Test mutating func `a time behind the end of another song is refused, if its length is known`() {
    var picture = picture
    picture.facts[0]?.duration = 10
    #expect(
      sent(connection.hear("seekid 1 99", picture))
        == "ACK [2@0] {seekid} Cannot seek there: the track is 0:10 long\n")
    #expect(commands(connection.hear("seek 0 9", picture)) == [.play(0)])
  }

  @Test mutating func `clients choose the part of a song that is played`() {
    var picture = picture
    picture.queue.append([.url("http://host/x")])
    func answer(_ line: String) -> String {
      var effects = connection.hear(line, picture)
      for case .edit(let edit) in commands(effects) { picture.queue.apply(edit) }
      if connection.isBusy { effects += connection.handle(.answered(.done(nil)), picture) }
      return sent(effects)
    }
    picture.facts[0] = TrackFacts()
    picture.facts[0]?.duration = 10
    // MPD 0.23.12's answers.
    #expect(answer("rangeid 1 0.5:1.25") == "OK\n")
    #expect(
      picture.queue.entries[0].part
        == TrackPart(start: MediaTime(500, timescale: 1000), end: MediaTime(1250, timescale: 1000)))
    #expect(answer("playlistid 1").contains("\nRange: 0.500-1.250\n"))
    for (range, text) in [(":1", "Range: 0.000-1.000\n"), ("1:", "Range: 1.000-\n")] {
      #expect(answer("rangeid 1 \(range)") == "OK\n" && answer("playlistid 1").contains(text))
    }
    #expect(answer("rangeid 1 :") == "OK\n" && !answer("playlistid 1").contains("Range"))
    for range in ["1", "2:1", "x", "-1:2", "1:1", "1:2:3", "1e3:2e3x", "nan:1", ":inf", "1e300:", ""] {
      #expect(answer("rangeid 1 \"\(range)\"") == "ACK [2@0] {rangeid} Bad range\n", "\(range)")
    }
    #expect(answer("rangeid 1 77:99") == "ACK [2@0] {rangeid} Invalid start offset\n")
    #expect(answer("rangeid 9 1:2") == "ACK [50@0] {rangeid} No such song\n")
    #expect(answer("rangeid 2 1:2") == "ACK [4@0] {rangeid} Cannot edit the current song\n")
    #expect(answer("rangeid 4 1:2") == "ACK [4@0] {rangeid} Only files have parts\n")
    #expect(picture.queue.entries.allSatisfy { $0.part == nil })
  }

  @Test mutating func `a long list is executed in parts, and the client takes each before the next`() {
    _ = answer("command_list_begin")
    for _ in 0..<200 { _ = answer("getvol") }
    var parts = [answer("command_list_end")]
    while connection.isPaused, !connection.isBusy { parts.append(sent(connection.handle(.resumed, picture))) }
    #expect(parts.count == 4 && parts.joined() == String(repeating: "volume: 80\n", count: 200) + "OK\n")
  }

  @Test mutating func `nothing is answered to a client that has gone, but its commands are obeyed`() {
    _ = connection.handle(.left, picture)
    for line in ["listallinfo", "find artist Band", "lsinfo"] {
      #expect(
        connection.hear(line, picture).allSatisfy {
          if case .ask = $0 { false } else { true }
        })
    }
    _ = answer("command_list_begin")
    for line in ["listallinfo", "setvol 30", "listallinfo"] { _ = answer(line) }
    #expect(commands(connection.hear("command_list_end", picture)) == [.setVolume(0.3)])
    #expect(sent(connection.handle(.answered(.done(nil)), picture)) == "OK\n" && !connection.isBusy)
  }

  @Test mutating func `the time of playing is counted`() {
    var picture = picture
    picture.played.note(isPlaying: true, at: .zero + .seconds(10))
    picture.played.note(isPlaying: true, at: .zero + .seconds(11))
    picture.played.note(isPlaying: false, at: .zero + .seconds(15))
    picture.played.note(isPlaying: true, at: .zero + .seconds(20))
    picture.now = .zero + .seconds(21)
    #expect(sent(connection.hear("stats", picture)) == "uptime: 21\nplaytime: 6\nOK\n")
  }

  @Test mutating func `idle reports what has changed, also what changed before`() {
    _ = connection.handle(.changed([.volume]), picture)
    #expect(answer("idle player") == "")
    #expect(sent(connection.handle(.changed([.cover]), picture)) == "", "MPD has no such event")
    #expect(sent(connection.handle(.changed([.state, .queue]), picture)) == "changed: player\nOK\n")
    #expect(answer("idle") == "changed: playlist\nchanged: mixer\nOK\n")
    #expect(answer("idle") == "")
    #expect(answer("noidle") == "OK\n")
    #expect(answer("noidle") == "")
    #expect(answer("idle sunshine") == "ACK [2@0] {idle} Unrecognized idle event: sunshine\n")
    #expect(answer("update") == "updating_db: 1\nOK\n" && answer("idle update") == "changed: update\nOK\n")
  }

  @Test(arguments: ["GET / HTTP/1.1", "", " status", "{\"command\":[]}"])
  mutating func `a client of another kind is sent away`(line: String) {
    guard case .close? = connection.handle(.line(Array(line.utf8)), picture).first else {
      Issue.record("\(line)")
      return
    }
  }

  @Test mutating func `random lines neither crash nor block`() {
    var generator = SystemRandomNumberGenerator()
    let words =
      MPDCommands.table.keys.sorted() + [
        "\"", "\\", "(", "1", "-1", "9:", ":", "99999999999999999999", "é", "'x'", "window", "sort", "0:3",
      ]
    for _ in 0..<5000 {
      let line = (0..<Int.random(in: 1...5, using: &generator)).map { _ in words.randomElement(using: &generator) ?? ""
      }
      .joined(separator: " ")
      guard !line.hasPrefix("command_list"), !line.hasPrefix("idle") else { continue }
      var effects = connection.handle(.line(Array(line.utf8)), picture)
      for _ in 0..<20 where connection.isBusy {
        let asks = effects.contains { if case .ask = $0 { true } else { false } }
        effects = connection.handle(asks ? .found(.text("")) : .answered(.done(nil)), picture)
      }
      #expect(!connection.isBusy, "\(line)")
    }
  }

  @Test(arguments: [
    (["artist", "Band"], true), (["artist", "band"], false), (["artist", "Band", "title", "x"], false),
    (["any", "Rock"], true),
    (["(artist == 'Band')"], true), (["((artist == \"Band\") AND (!(title == 'x')))"], true),
    (["(title contains 'on')"], true),
    (["(title starts_with 'on')"], false), (["(genre != 'Rock')"], false), (["(base 'dir')"], true),
    (["(base 'di')"], false),
    (["(title eq_ci 'SONG')"], true), (["(title !contains 'on')"], false), (["(title !starts_with 'on')"], true),
    (["(title contains_ci 'SO')"], true), (["(title eq_cs 'song')"], false),
    (["(artist == 'Band')", "title", "x"], false),
    (["(modified-since '2020-09-13T12:26:40Z')"], true), (["(modified-since '2020-09-13T12:26:41Z')"], false),
    (["modified-since", "1600000000"], true), (["(AudioFormat == '44100:16:2')"], true),
    (["(audioformat =~ '*:16:*')"], true), (["(AudioFormat =~ '*:24:*')"], false), (["(prio >= 0)"], true),
    (["(prio >= 1)"], false), (["(title =~ '^S.n')"], true), (["(title =~ '^s.n')"], false),
    (["(title !~ '^S.n')"], false), (["(any =~ 'an?d$')"], true), (["(composer =~ '.*')"], false),
    (["((title =~ '(?i)^s') AND (artist !~ 'x'))"], true), (["base", "dir"], true),
    (["(file == 'dir/b.flac')"], true), (["albumartist", "Band"], true), (["composer", ""], true),
  ])
  func `filters find songs`(words: [String], isFound: Bool) throws {
    var facts = TrackFacts()
    (facts.artist, facts.title, facts.genre) = ("Band", "Song", "Rock")
    facts.otherTags.add("44100:16:2", .audioFormat)
    let filter = try MPDFilter(words[...], isExact: true, Self.state)
    let places = MPDPlaces(music: BytePath("/music"), playlists: nil)
    let song = MPDSong(.file(BytePath("/music/dir/b.flac")), facts, modified: 1_600_000_000, places)
    #expect(filter.matches(song, places) == isFound)
  }

  @Test(arguments: [
    ["artist"], ["(artist"], ["(artist == Band)"], ["nothing", "x"], ["(a == 'b') x"], ["(title =~ '(')"],
    ["(AudioFormat =~ '44100')"], ["(AudioFormat == '44100:*:2')"],
    ["(AudioFormat =~ 'x:*:*')"], ["(AudioFormat != '44100:16:2')"], ["(prio == 3)"], ["(prio >= 256)"], ["prio", "3"],
    ["(title =~ '\(String(repeating: "a", count: 2000))')"],
    ["(modified-since 'yesterday')"], ["(title foo 'x')"], ["((title == 'x') OR (title == 'y'))"], ["()"],
    [String(repeating: "(", count: 10_000)],
  ])
  func `other filters are refused`(words: [String]) {
    #expect(throws: MPDError.self) { try MPDFilter(words[...], isExact: true, Self.state) }
  }

  @Test mutating func `an expression that is too costly is a failure, and nothing waits for it`() {
    var picture = picture
    for entry in picture.queue.entries { picture.facts[entry.id]?.title = String(repeating: "a", count: 40) + "b" }
    picture.snapshot.state = .stopped
    let answer = sent(connection.hear("playlistfind \"(title =~ '^(a+)+$')\"", picture))
    #expect(answer == "ACK [52@0] {playlistfind} Regular expression: match limit exceeded\n")
    #expect(sent(connection.hear("playlistfind \"(title =~ '^a+b$')\"", picture)).contains("Id: 3"))
  }

  /// All of its src/command/AllCommands.cxx but `getfingerprint`, which builds without libchromaprint lack.
  @Test func `every command of MPD 0,24 is known`() {
    let names = """
      add addid addtagid albumart binarylimit channels clear clearerror cleartagid close commands config consume count
      crossfade currentsong decoders delete deleteid delpartition disableoutput enableoutput find findadd getvol idle kill
      list listall listallinfo listfiles listmounts listneighbors listpartitions listplaylist listplaylistinfo listplaylists
      load lsinfo mixrampdb mixrampdelay mount move moveid moveoutput newpartition next notcommands outputs outputset
      partition password pause ping play playid playlist playlistadd playlistclear playlistdelete playlistfind playlistid
      playlistinfo playlistlength playlistmove playlistsearch plchanges plchangesposid previous prio prioid protocol random
      rangeid readcomments readmessages readpicture rename repeat replay_gain_mode replay_gain_status rescan rm save search
      searchadd searchaddpl searchcount searchplaylist seek seekcur seekid sendmessage setvol shuffle single stats status
      sticker stickernames stickernamestypes stickertypes stop subscribe swap swapid tagtypes toggleoutput unmount
      unsubscribe update urlhandlers volume
      """.split { $0 == " " || $0 == "\n" }.map(String.init)
    let known = Set(MPDCommands.table.keys).union(["close", "idle"])
    #expect(Set(names).subtracting(known) == [] && known.subtracting(names) == ["stringnormalization"])
    #expect(
      Set(MPDSession.refused.keys) == [
        "delpartition", "mount", "moveoutput", "newpartition", "outputset", "unmount",
      ])
  }

  @Test mutating func `modes and priorities are told as MPD does`() {
    var picture = picture
    (picture.queue.consumption, picture.queue.stopPoint) = (.once, .each)
    let old = picture
    picture.queue.apply(.prioritize([0], 7))
    #expect(sent(connection.hear("status", picture)).contains("\nsingle: 1\nconsume: oneshot\n"))
    #expect(sent(connection.hear("playlistinfo 0", picture)) == "file: a.flac\nPos: 0\nId: 1\nPrio: 7\nOK\n")
    #expect(sent(connection.hear("playlistfind \"(prio >= 7)\"", picture)).contains("\nId: 1\n"))
    picture.queue.consumption = .off
    #expect(picture.changes(since: old) == [.modes])
  }

  private static let state = MPDState(
    places: MPDPlaces(music: BytePath("/music"), playlists: nil), access: .local, start: .zero)

  @Test func `names lead back to files, also those that are not UTF-8`() {
    let places = MPDPlaces(music: BytePath("/music"), playlists: nil)
    for bytes in [
      Array("/music/a b.flac".utf8), Array("/other/ü".utf8), [0x2f, 0x6d, 0xff], Array("/music/a\n%41 b".utf8),
      Array("/music/".utf8) + [0xe9, 0x25],
    ] {
      let path = BytePath(bytes)
      #expect(places.path(of: places.name(of: path)) == path, "\(path)")
    }
    let elsewhere = MPDPlaces(music: BytePath("/music"), playlists: nil, current: BytePath("/music/sub"))
    #expect(elsewhere.name(of: .track(BytePath("a.cue"), number: 3)) == "sub/a.cue#3")
    #expect(places.path(of: "a/../../etc") == nil && places.path(of: "") == BytePath("/music"))
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_795_389_485, "2026-11-22T23:18:05Z"), (951_782_400, "2000-02-29T00:00:00Z"),
  ])
  func `times are those of the calendar`(seconds: Int64, text: String) {
    #expect(UTCTime.text(seconds) == text)
    #expect(UTCTime.seconds(text) == seconds && UTCTime.seconds(String(seconds)) == seconds)
  }

  @Test mutating func `a search of the queue reads tags that are unknown`() {
    var unread = picture
    unread.facts = [:]
    guard case .ask(.facts(let entries))? = connection.hear("playlistfind title Later", unread).first else {
      Issue.record("nothing read")
      return
    }
    #expect(entries.count == 3)
    unread.facts = picture.facts
    unread.facts[picture.queue.entries[2].id]?.title = "Later"
    #expect(sent(connection.handle(.found(.done), unread)) == "file: c.flac\nTitle: Later\nPos: 2\nId: 3\nOK\n")
  }

  @Test mutating func `messages wait until they are read, not too many`() {
    #expect(answer("subscribe a/b") == "ACK [2@0] {subscribe} invalid channel name\n")
    #expect(answer("subscribe news") == "OK\n" && connection.channels == ["news"])
    guard case .publish("hi", channel: "news")? = connection.hear("sendmessage news hi").first else {
      Issue.record("not sent")
      return
    }
    for number in 0..<100 { _ = connection.handle(.message("\(number)", channel: "news"), picture) }
    #expect(connection.handle(.message("x", channel: "other"), picture).isEmpty)
    let numbers = (0..<64).map { "channel: news\nmessage: \($0)\n" }.joined()
    #expect(answer("readmessages") == numbers + "OK\n" && answer("readmessages") == "OK\n")
    #expect(answer("idle message") == "changed: message\nOK\n")
    #expect(sent(connection.handle(.changed([.channels]), picture)) == "")
    #expect(answer("idle") == "changed: subscription\nOK\n")
  }

  // MARK: The network

  private func networkConnection(password: String) -> MPDConnection {
    var connection = MPDConnection(
      places: MPDPlaces(music: BytePath("/music"), playlists: nil), start: .zero, access: .network(password: password))
    _ = connection.handle(.opened, picture)
    _ = connection.handle(.found(.done), picture)
    return connection
  }

  @Test mutating func `a client of the network may do nothing before it has given the password`() {
    connection = networkConnection(password: "secret")
    for command in MPDCommands.table.keys where !MPDAccess.open.contains(command) {
      #expect(answer("\(command) 1").hasPrefix("ACK [4@0] {\(command)} you don't have permission for"), "\(command)")
    }
    #expect(answer("idle") == "ACK [4@0] {idle} you don't have permission for \"idle\"\n")
    #expect(answer("nothing") == "ACK [5@0] {} unknown command \"nothing\"\n")
    #expect(
      answer("command_list_begin") + answer("status") + answer("command_list_end")
        == "ACK [4@0] {status} you don't have permission for \"status\"\n")
    let names = "commands\ncommand: notcommands\ncommand: password\ncommand: ping\n"
    #expect(answer("commands").contains(names) && !answer("commands").contains("status"))
    #expect(answer("notcommands").contains("command: status\n") && answer("ping") == "OK\n")
    #expect(!connection.isAdmitted)
    #expect(answer("password secre") == "ACK [3@0] {password} incorrect password\n")
    #expect(answer("password \"\"") == "ACK [3@0] {password} incorrect password\n")
    #expect(answer("password secret") == "OK\n" && connection.isAdmitted)
    #expect(answer("getvol") == "volume: 80\nOK\n" && answer("commands").contains("status"))
    #expect(answer("idle player") == "" && answer("noidle") == "OK\n")
  }

  @Test func `a client that guesses passwords is sent away`() {
    var connection = networkConnection(password: "secret")
    var effects: [RemoteEffect] = []
    for guess in ["secret!", "secretsecret", "Secret"] { effects = connection.hear("password \(guess)") }
    guard case .close? = effects.last, effects.count == 2 else {
      Issue.record("\(effects)")
      return
    }
  }

  @Test mutating func `a client of the network names nothing outside the music folder`() {
    connection = networkConnection(password: "")
    #expect(!connection.isAdmitted && answer("ping") == "OK\n" && connection.isAdmitted)
    for name in [
      "/etc/passwd", "file:///etc/passwd", "/music/../etc/passwd", "file:///music/%2e%2e/etc/x", "../x", "ftp://x",
    ] {
      #expect(answer("add \(name)") == "ACK [50@0] {add} No such song\n", "\(name)")
      #expect(answer("lsinfo \(name)") == "ACK [50@0] {lsinfo} No such directory\n", "\(name)")
      #expect(answer("readpicture \(name) 0") == "OK\n", "\(name)")
    }
    let places = ["/music/a.mp3", "file:///music/a.mp3", "a.mp3"]
    for name in places {
      #expect(commands(connection.hear("add \(name)")) == [.collect([BytePath("/music/a.mp3")], .turn(.end))])
      _ = connection.handle(.answered(.done(nil)), picture)
    }
    #expect(answer("config") == "ACK [4@0] {config} Command only permitted to local clients\n")
    #expect(answer("password x") == "ACK [3@0] {password} incorrect password\n")
  }
}
