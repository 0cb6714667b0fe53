internal import ByteIO
internal import Playback
public import AudioModel
public import Commands

/// The current track as a notification of the desktop (Desktop Notifications Specification 1.2), one for all tracks.
/// Pure: what is current in, calls out; replies and signals in, commands out.
public struct TrackNotifier: Sendable {
  /// The program that shows notifications, and its interface.
  public static let service = "org.freedesktop.Notifications"
  public static let signals = "type='signal',sender='\(service)',interface='\(service)'"

  private enum Question {
    case capabilities, notification
  }

  private struct Contents: Equatable {
    var id: QueueEntry.ID
    var title: String
    var lines: [String]
    var cover: BytePath?
  }

  private static let buttons: [(key: String, label: String, command: Command)] = [
    ("previous", "Previous", .previous), ("toggle", "Play/Pause", .togglePause), ("next", "Next", .next),
  ]

  /// The call that waits for its reply, and the time at which it was sent.
  private var question: (kind: Question, time: MonotonicTime)?
  /// The time after which no reply is expected, as libdbus has it.
  private static let patience = TimeSpan.seconds(25)
  private var capabilities: Set<String>?
  /// The number of the notification that is replaced; 0 for a new one.
  private var number: UInt32 = 0
  /// The notification that was sent last, or was to be sent.
  private var shown: Contents?

  /// A notifier that has shown nothing yet.
  public init() {}

  /// The next call, if the setting wants one and no call waits for its reply. The cover of the track should be known.
  public mutating func call(_ player: PlayerSnapshot, at now: MonotonicTime) -> BusCall? {
    guard player.settings.notify else {
      shown = nil
      return nil
    }
    if let question, now - question.time >= Self.patience { self.question = nil }
    guard question == nil, player.isLoaded, player.snapshot.state == .playing, let entry = player.entry
    else { return nil }
    let cover = player.cover.flatMap { $0.id == entry.id ? $0.file : nil }
    let contents = Contents(
      id: entry.id, title: (player.title ?? entry.location.name).printable,
      lines: [player.artist, player.album].compactMap { $0?.printable }.filter { !$0.isEmpty }, cover: cover)
    guard contents != shown else { return nil }
    shown = contents
    question = (capabilities == nil ? .capabilities : .notification, now)
    return capabilities.map { notification(contents, $0) } ?? Self.request("GetCapabilities", [])
  }

  private func notification(_ contents: Contents, _ capabilities: Set<String>) -> BusCall {
    let lines = capabilities.contains("body-markup") ? contents.lines.map(Self.escaped) : contents.lines
    let buttons = capabilities.contains("actions") ? Self.buttons.flatMap { [$0.key, $0.label] } : []
    var hints: [(String, BusValue)] = [("desktop-entry", .string("segue")), ("transient", .bool(true))]
    if let cover = contents.cover { hints.append(("image-path", .string(MPRIS.fileAddress(cover)))) }
    return Self.request(
      "Notify",
      [
        .string("segue"), .uint32(number), .string(""), .string(contents.title),
        .string(lines.joined(separator: "\n")), .strings(buttons), .dictionary(hints), .int32(-1),
      ])
  }

  /// The call that removes the notification from the desktop, if it is there.
  public var removal: BusCall? { number == 0 ? nil : Self.request("CloseNotification", [.uint32(number)]) }

  private static func request(_ member: String, _ arguments: [BusValue]) -> BusCall {
    BusCall(path: "/org/freedesktop/Notifications", interface: service, member: member, arguments: arguments)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Takes the reply to the last call. Without a program that shows notifications, the next track asks again.
  public mutating func take(_ reply: BusReply) {
    switch (question?.kind, reply) {
    case (.capabilities?, .values(let values)):
      if case .strings(let names)? = values.first { capabilities = Set(names) } else { capabilities = [] }
      // It was not shown yet.
      shown = nil
    case (.notification?, .values(let values)): if case .uint32(let new)? = values.first { number = new }
    case (_, .error): capabilities = nil
    case (nil, .values): break
    }
    question = nil
  }

  public mutating func handle(_ signal: BusCall) -> Command? {
    let arguments = signal.arguments.compactMap(\.self)
    guard signal.interface == Self.service, number != 0, arguments.first == BusValue.uint32(number) else { return nil }
    switch signal.member {
    case "ActionInvoked":
      guard case .string(let key)? = arguments.last else { return nil }
      return Self.buttons.first { $0.key == key }?.command
    case "NotificationClosed":
      number = 0
      return nil
    default: return nil
    }
  }
}
