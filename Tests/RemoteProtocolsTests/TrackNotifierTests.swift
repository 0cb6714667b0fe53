import AudioModel
import ByteIO
import Playback
import Testing

@testable import Commands
@testable import RemoteProtocols

/// The rules of the Desktop Notifications Specification 1.2.
struct TrackNotifierTests {
  private var notifier = TrackNotifier()

  private func snapshot(title: String = "Song") -> PlayerSnapshot {
    var player = playingSnapshot()
    player.settings.notify = true
    player.snapshot.information.tags.title = title
    return player
  }

  /// The next call, so many seconds after the start.
  private mutating func ask(_ player: PlayerSnapshot, at seconds: Double = 0) -> BusCall? {
    notifier.call(player, at: .zero + .seconds(seconds))
  }

  /// Answers both questions: the abilities of the desktop, and the number of the notification.
  private mutating func show(_ player: PlayerSnapshot, abilities: [String], number: UInt32 = 7) -> BusCall? {
    guard ask(player)?.member == "GetCapabilities" else { return nil }
    notifier.take(.values([.strings(abilities)]))
    let call = ask(player)
    notifier.take(.values([.uint32(number)]))
    return call
  }

  private func signal(_ member: String, _ arguments: BusValue..., interface: String = TrackNotifier.service) -> BusCall
  {
    BusCall(path: "/org/freedesktop/Notifications", interface: interface, member: member, arguments: arguments)
  }

  @Test mutating func `a track is one notification with cover and buttons, which the next track replaces`() {
    var player = snapshot(title: "A & B")
    player.cover = (1, BytePath("/run/covers/ü.png"))
    let call = show(player, abilities: ["body", "actions"])
    #expect(call?.path == "/org/freedesktop/Notifications" && call?.interface == TrackNotifier.service)
    let buttons = ["previous", "Previous", "toggle", "Play/Pause", "next", "Next"]
    let hints: [(String, BusValue)] = [
      ("desktop-entry", .string("segue")), ("transient", .bool(true)),
      ("image-path", .string("file:///run/covers/%C3%BC.png")),
    ]
    #expect(
      call?.arguments == [
        .string("segue"), .uint32(0), .string(""), .string("A & B"), .string("Band\nRecord"), .strings(buttons),
        .dictionary(hints), .int32(-1),
      ])
    #expect(ask(player) == nil, "it is shown")
    let next = ask(snapshot(title: "C"))
    #expect(next?.arguments[1] == .uint32(7) && next?.arguments[3] == .string("C"))
    #expect(ask(snapshot(title: "D")) == nil, "one at a time")
  }

  @Test mutating func `a desktop without buttons gets none, and one with markup gets it escaped`() {
    var player = snapshot()
    player.snapshot.information.tags.artist = "<Ampersand & Co>"
    let call = show(player, abilities: ["body-markup"])
    #expect(call?.arguments[5] == .strings([]))
    #expect(call?.arguments[4] == .string("&lt;Ampersand &amp; Co&gt;\nRecord"))
  }

  @Test mutating func `nothing is asked while the setting is off, or nothing plays`() {
    #expect(ask(playingSnapshot()) == nil)
    var player = snapshot()
    player.snapshot.state = .paused
    #expect(ask(player) == nil)
    player.snapshot.state = .stopped
    #expect(ask(player) == nil)
  }

  @Test mutating func `without a desktop each track asks once`() {
    #expect(ask(snapshot()) != nil)
    notifier.take(.error("", ""))
    #expect(ask(snapshot()) == nil)
    #expect(ask(snapshot(title: "Other"))?.member == "GetCapabilities")
    notifier.take(.values([.int32(1)]))
    #expect(ask(snapshot(title: "Other"))?.member == "Notify", "an odd answer: it can nothing")
  }

  @Test mutating func `a desktop that does not answer is asked again with a later track`() {
    #expect(ask(snapshot())?.member == "GetCapabilities")
    #expect(ask(snapshot(title: "B"), at: 24.9) == nil)
    #expect(ask(snapshot(), at: 25) == nil, "once for each track")
    #expect(ask(snapshot(title: "C"), at: 25)?.member == "GetCapabilities")
    notifier.take(.values([.strings([])]))
    #expect(ask(snapshot(title: "C"), at: 26)?.member == "Notify")
    #expect(ask(snapshot(title: "D"), at: 50) == nil)
    #expect(ask(snapshot(title: "D"), at: 51)?.member == "Notify")
  }

  @Test mutating func `the last notification is removed, unless somebody closed it`() {
    #expect(notifier.removal == nil)
    _ = show(snapshot(), abilities: [])
    #expect(notifier.removal?.member == "CloseNotification" && notifier.removal?.arguments == [.uint32(7)])
    _ = notifier.handle(signal("NotificationClosed", .uint32(7), .uint32(2)))
    #expect(notifier.removal == nil)
  }

  @Test mutating func `buttons are commands, those of other notifications are not`() {
    _ = show(snapshot(), abilities: ["actions"])
    for (key, command) in [("previous", Command.previous), ("toggle", .togglePause), ("next", .next)] {
      #expect(notifier.handle(signal("ActionInvoked", .uint32(7), .string(key))) == command)
    }
    #expect(notifier.handle(signal("ActionInvoked", .uint32(8), .string("next"))) == nil)
    #expect(notifier.handle(signal("ActionInvoked", .uint32(7), .string("quit"))) == nil)
    #expect(notifier.handle(signal("ActionInvoked", .uint32(7))) == nil)
    #expect(notifier.handle(signal("ActionInvoked", .uint32(7), .string("next"), interface: "org.other")) == nil)
    #expect(notifier.handle(signal("NotificationClosed", .uint32(7), .uint32(2))) == nil)
    #expect(notifier.handle(signal("ActionInvoked", .uint32(7), .string("next"))) == nil, "it is gone")
    #expect(ask(snapshot(title: "Next"))?.arguments[1] == .uint32(0))
  }
}
