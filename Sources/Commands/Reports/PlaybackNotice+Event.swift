internal import AudioModel
internal import AudioSession
internal import ByteIO
public import Playback

/// An event as the members of a JSON object, but for its time.
public typealias EventMembers = [(String, JSON)]

/// The event of a sentence that the player says to the listener.
public func eventMembers(said text: String) -> EventMembers {
  [("event", .string("message")), ("message", .string(text))]
}

// The vocabulary of events, the same for `--events` and for clients (docs/segue.1).
extension PlaybackNotice {
  /// The members of the event as JSON; `nil` for a notice that is not announced.
  ///
  /// - Parameter entry: The current entry at that moment.
  public func eventMembers(current entry: QueueEntry?) -> EventMembers? {
    members.map { $0 + [("track", JSON((self.entry ?? entry).map { String(describing: $0.location) }))] }
  }

  private var members: EventMembers? {
    switch self {
    case .state(let state, let reason, let position):
      [
        ("event", .string("state")), ("state", .string(state.word)), ("reason", .string(reason.eventName)),
        ("position", JSON(position)),
      ]
    case .trackBegan: [("event", .string("track"))]
    case .seeked(let position, let isEstimated):
      [("event", .string("seek")), ("position", JSON(position))] + (isEstimated ? [("estimated", .bool(true))] : [])
    case .trackFailed, .outputFailed, .soundUnchanged:
      [("event", .string("error")), ("message", JSON(problem(.full)))]
    case .trackDamaged: [("event", .string("damage")), ("message", JSON(problem(.full)))]
    case .underrun, .outputStalled: [("event", .string("underrun"))]
    case .routeChanged(let route, let reason):
      [
        ("event", .string("route")), ("device", .string(route.device)), ("description", .string(route.description)),
        ("headset", .bool(route.isHeadset)), ("reason", .string(reason.eventName)),
      ]
    case .othersChanged(let others):
      [("event", .string("others")), ("playing", .bool(others.isPlaying)), ("hint", .bool(others.isPrimary))]
        + (others.caller.map { [("caller", .string($0))] } ?? [])
    case .buffered(let percent): [("event", .string("buffer")), ("percent", JSON(percent))]
    case .titleChanged(let title): [("event", .string("title")), ("title", .string(title))]
    case .seekRefused, .connection, .shiftLost, .slowedToLive:
      [("event", .string("stream")), ("message", JSON(logText))]
    case .needsNext, .informationRefined, .duckingUnavailable, .sessionRefused, .foundPlaylist, .volumeChanged,
      .muteChanged, .clockCorrected:
      nil
    }
  }

  public var entry: QueueEntry? {
    switch self {
    case .trackBegan(let entry, _), .trackFailed(let entry, _), .trackDamaged(let entry, _): entry
    default: nil
    }
  }
}
