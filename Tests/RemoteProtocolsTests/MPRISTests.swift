import AudioModel
import ByteIO
import Playback
import Testing

@testable import Commands
@testable import RemoteProtocols

/// The rules of MPRIS 2.2 and the habits of its clients.
struct MPRISTests {
  private var mpris = MPRIS()

  private func call(_ member: String, _ arguments: BusValue?..., interface: String = MPRIS.player) -> BusCall {
    BusCall(path: MPRIS.objectPath, interface: interface, member: member, arguments: arguments)
  }

  private func get(_ name: String, _ picture: PlayerSnapshot) -> BusValue? {
    let outcome = mpris.handle(call("Get", .string(MPRIS.player), .string(name), interface: MPRIS.properties), picture)
    guard case .reply(.values(let values)) = outcome, case .variant(let value)? = values.first else { return nil }
    return value
  }

  @Test(arguments: [
    ("Next", [Command.next]), ("Previous", [.previous]), ("Pause", [.playback(.pause)]), ("PlayPause", [.togglePause]),
    ("Play", [.resume]), ("Stop", [.playback(.stop)]),
  ])
  func `methods are commands`(member: String, commands: [Command]) {
    #expect(mpris.handle(call(member), playingSnapshot()) == .perform(commands))
  }

  @Test func `next and previous keep a paused or stopped player as it was`() {
    var picture = playingSnapshot()
    picture.snapshot.state = .paused
    #expect(mpris.handle(call("Next"), picture) == .perform([.next, .playback(.pause)]))
    picture.snapshot.state = .stopped
    #expect(mpris.handle(call("Previous"), picture) == .perform([.previous, .playback(.stop)]))
  }

  @Test func `a pause that follows an order to play before the first picture of it reaches the engine`() {
    #expect(mpris.handle(call("Pause"), PlayerSnapshot()) == .perform([.playback(.pause)]))
  }

  @Test func `a seek past the end is next, before the beginning the beginning`() {
    let picture = playingSnapshot()
    #expect(mpris.handle(call("Seek", .int64(5_000_000)), picture) == .perform([.playback(.seek(to: 17.5))]))
    #expect(mpris.handle(call("Seek", .int64(-60_000_000)), picture) == .perform([.playback(.seek(to: 0))]))
    #expect(mpris.handle(call("Seek", .int64(900_000_000)), picture) == .perform([.next]))
    #expect(mpris.handle(call("Seek", .int64(1)), PlayerSnapshot()) == .perform([]))
  }

  @Test func `a position of another track, or outside of this one, is ignored`() {
    let picture = playingSnapshot()
    let track = BusValue.path("/org/segue/track/1")
    #expect(
      mpris.handle(call("SetPosition", track, .int64(30_000_000)), picture) == .perform([.playback(.seek(to: 30))]))
    for (path, position) in [("/org/segue/track/0", 30), ("/org/segue/track/1", -1), ("/org/segue/track/1", 216)] {
      #expect(
        mpris.handle(call("SetPosition", .path(path), .int64(Int64(position) * 1_000_000)), picture)
          == .reply(.values([])))
    }
  }

  @Test func `the track is described completely, with a path of letters and digits`() {
    let metadata = get("Metadata", playingSnapshot())
    #expect(
      metadata
        == .dictionary([
          ("mpris:trackid", .path("/org/segue/track/1")), ("mpris:length", .int64(215_000_000)),
          ("xesam:title", .string("Song")), ("xesam:album", .string("Record")), ("xesam:artist", .strings(["Band"])),
          ("xesam:url", .string("file:///music/b.flac")), ("xesam:genre", .strings(["Rock"])),
          ("xesam:trackNumber", .int32(2)), ("xesam:contentCreated", .string("1999-01-01T00:00:00Z")),
        ]))
    let nothing = get("Metadata", PlayerSnapshot())
    #expect(nothing == .dictionary([("mpris:trackid", .path("/org/mpris/MediaPlayer2/TrackList/NoTrack"))]))
    #expect(MPRIS.address(of: .file(BytePath([0x2f, 0x61, 0x20, 0xff, 0x23]))) == "file:///a%20%FF%23")
  }

  @Test func `waiting is playing, and abilities do not depend on the state`() {
    var picture = playingSnapshot()
    picture.snapshot.state = .waiting
    #expect(get("PlaybackStatus", picture) == .string("Playing"))
    picture.snapshot.state = .paused
    #expect(get("PlaybackStatus", picture) == .string("Paused"))
    #expect(get("CanPause", picture) == .bool(true) && get("CanPlay", picture) == .bool(true))
    #expect(get("CanSeek", picture) == .bool(true) && get("Position", picture) == .int64(12_500_000))
    #expect(get("CanGoNext", picture) == .bool(true))
    picture.queue.select(index: 2)
    #expect(get("CanGoNext", picture) == .bool(false) && get("CanGoPrevious", picture) == .bool(true))
    #expect(get("CanPlay", PlayerSnapshot()) == .bool(false))
    // In random order the current track is the first of its round.
    picture.queue.isShuffled = true
    #expect(get("CanGoNext", picture) == .bool(true) && get("CanGoPrevious", picture) == .bool(false))
    while picture.queue.next() != nil {}
    #expect(get("CanGoNext", picture) == .bool(false) && get("CanGoPrevious", picture) == .bool(true))
  }

  @Test(arguments: [
    ("Volume", BusValue.double(0.25), MPRIS.Outcome.perform([.setVolume(0.25)])),
    ("Volume", .double(-3), .perform([.setVolume(0)])), ("Volume", .double(7), .perform([.setVolume(1)])),
    ("Rate", .double(0), .perform([.playback(.pause)])), ("Rate", .double(1.5), .perform([.changeSound(.speed(1.5))])),
    ("LoopStatus", .string("Track"), .perform([.setRepeat(.one)])),
    ("Shuffle", .bool(true), .perform([.setShuffle(true)])),
  ])
  func `properties can be set`(name: String, value: BusValue, outcome: MPRIS.Outcome) {
    let set = call("Set", .string(MPRIS.player), .string(name), .variant(value), interface: MPRIS.properties)
    #expect(mpris.handle(set, playingSnapshot()) == outcome)
  }

  @Test func `anything else is an error`() {
    let errors = [
      call("Set", .string(MPRIS.player), .string("Position"), .variant(.int64(1)), interface: MPRIS.properties),
      call("Set", .string(MPRIS.player), .string("Shuffle"), .variant(.string("x")), interface: MPRIS.properties),
      call("Set", .string(MPRIS.player), .string("Volume"), .variant(.double(.nan)), interface: MPRIS.properties),
      call("Get", .string(MPRIS.player), .string("Nothing"), interface: MPRIS.properties),
      call("Get", .string("org.nothing"), .string("Rate"), interface: MPRIS.properties),
      call("Get", interface: MPRIS.properties),
      call("Fly"), call("Seek"), call("Seek", nil), call("SetPosition", .path("/a")),
      call("Next", interface: "org.other"),
      BusCall(path: "/other", interface: MPRIS.player, member: "Next", arguments: []),
    ]
    for call in errors {
      guard case .reply(.error) = mpris.handle(call, playingSnapshot()) else {
        Issue.record("\(call)")
        continue
      }
    }
  }

  @Test mutating func `changes are announced once, the position never, and a new track as a seek`() {
    var picture = playingSnapshot()
    let first = mpris.signals(picture, hasSeeked: false)
    #expect(first.map(\.member) == ["PropertiesChanged", "Seeked"])
    #expect(first[0].arguments[1].text.contains("PlaybackStatus") && !first[0].arguments[1].text.contains("Position\""))
    #expect(mpris.signals(picture, hasSeeked: false).isEmpty)
    picture.snapshot.clock.position = 40
    #expect(mpris.signals(picture, hasSeeked: false).isEmpty)
    #expect(mpris.signals(picture, hasSeeked: true).map(\.arguments) == [[.int64(40_000_000)]])
    picture.snapshot.state = .paused
    #expect(
      mpris.signals(picture, hasSeeked: false).map(\.arguments)
        == [[.string(MPRIS.player), .dictionary([("PlaybackStatus", .string("Paused"))]), .strings([])]])
  }

  @Test func `names have no control characters, and lyrics keep their lines`() {
    var picture = playingSnapshot()
    (picture.snapshot.information.tags.title, picture.snapshot.information.tags.artist) = (
      "A\u{1b}]2;x\u{7}\nB", "\u{9b}31m"
    )
    picture.snapshot.information.tags.lyrics = "one\ntwo\u{1b}c"
    let metadata = Dictionary(uniqueKeysWithValues: MPRIS.metadata(picture))
    #expect(metadata["xesam:title"] == .string("A\u{fffd}]2;x\u{fffd}\u{fffd}B"))
    #expect(metadata["xesam:artist"] == .strings(["\u{fffd}31m"]))
    #expect(metadata["xesam:asText"] == .string("one\ntwo\u{fffd}c"))
  }
}
