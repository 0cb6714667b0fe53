import AudioModel
import Playback
import Testing

@testable import Commands
@testable import RemoteProtocols

/// The dialect of cmus-remote.
struct CmusTests {
  private var connection = CmusConnection()

  @Test(arguments: [
    ("player-play", Command.playFromStart), ("player-play /a b.mp3", .find(["/a b.mp3"], .played, in: nil)),
    ("player-pause", .togglePause), ("player-pause-playback", .playback(.pause)), ("player-stop", .playback(.stop)),
    ("player-next", .next), ("vol 30%", .setVolume(0.3)), ("vol +5%", .changeVolume(by: 0.05)),
    ("vol -5", .changeVolume(by: -0.05)),
    ("seek +10", .playback(.seekBy(10))), ("seek -1m", .playback(.seekBy(-60))),
    ("seek 1:02", .playback(.seek(to: 62))),
    ("seek 1h", .playback(.seek(to: 3600))), ("add -p /x y", .find(["/x y"], .turn(.end), in: nil)),
    ("add -q /x", .find(["/x"], .turn(.enqueued), in: nil)), ("add /x", .find(["/x"], .turn(.end), in: nil)),
    ("clear -l", .edit(.clear)), ("toggle repeat", .setRepeat(.all)), ("toggle shuffle", .toggleShuffle),
    ("set shuffle=tracks", .setShuffle(true)), (":toggle shuffle", .toggleShuffle),
  ])
  mutating func `commands of cmus are commands of the player`(line: String, command: Command) {
    #expect(commands(connection.hear(line)) == [command])
    #expect(connection.isBusy)
    #expect(sent(connection.handle(.answered(.done("something")), playingSnapshot())) == "\n")
    #expect(!connection.isBusy)
  }

  @Test mutating func `a pause before the first picture of the music reaches the engine`() {
    #expect(commands(connection.hear("player-pause-playback", PlayerSnapshot())) == [.playback(.pause)])
  }

  @Test(arguments: [
    ("repeat", PlayQueue.RepeatMode.one, nil), ("repeat", .all, Command.setRepeat(.off)),
    ("repeat_current", .all, nil), ("repeat_current", .one, .setRepeat(.off)),
  ])
  mutating func `an option that goes off leaves the other one alone`(
    option: String, mode: PlayQueue.RepeatMode, command: Command?
  ) {
    var picture = playingSnapshot()
    picture.queue.repeatMode = mode
    #expect(commands(connection.hear("set \(option)=false", picture)) == [command].compactMap(\.self))
  }

  @Test mutating func `a path that is not UTF-8 keeps its bytes`() {
    let line = Array("add -q /music/b".utf8) + [0xff] + Array(" c.mp3".utf8)
    #expect(
      commands(connection.handle(.line(line), playingSnapshot())) == [
        .find(["file:///music/b%FF%20c.mp3"], .turn(.enqueued), in: nil)
      ])
  }

  @Test mutating func `a refusal and an unknown command are errors`() {
    _ = connection.hear("player-next")
    #expect(
      sent(connection.handle(.answered(.refused("no more tracks")), playingSnapshot())) == "Error: no more tracks\n\n")
    #expect(sent(connection.hear("lqueue")) == "Error: unknown command lqueue\n\n")
    #expect(sent(connection.hear("vol loud")).hasPrefix("Error: ") && sent(connection.hear("/text")) == "\n")
  }

  @Test mutating func `the status is that of cmus`() {
    #expect(
      sent(connection.hear("status")) == """
        status playing
        file /music/b.flac
        duration 215
        position 12
        tag artist Band
        tag album Record
        tag title Song
        tag tracknumber 2
        tag date 1999
        tag genre Rock
        set aaa_mode all
        set continue true
        set play_library false
        set play_sorted false
        set replaygain disabled
        set replaygain_limit true
        set replaygain_preamp 0.000000
        set repeat false
        set repeat_current false
        set shuffle off
        set softvol false
        set vol_left 80
        set vol_right 80


        """)
  }

  @Test mutating func `a stopped player has no track, and text is escaped`() {
    #expect(sent(connection.hear("status", PlayerSnapshot())).hasPrefix("status stopped\nset aaa_mode"))
    var picture = playingSnapshot()
    picture.snapshot.information.tags.title = "a\\b\nc"
    #expect(sent(connection.hear("status", picture)).contains("tag title a\\\\b\\nc\n"))
  }
}
