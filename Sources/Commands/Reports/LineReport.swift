internal import AudioModel
public import Playback

/// The events of a player in words, for pipes and screen readers: one line for each thing that happened. The states that
/// a start or a seek passes through are no events of their own.
public struct LineReport: Sendable {
  /// The state that the lines so far have told.
  private var told: (state: PlaybackState, reason: String)?
  /// True from the start of a track, or from a seek, until sound comes.
  private var isStarting = true
  /// True if a sentence has told the next state: "paused by the sleep timer".
  private var isNextTold = false
  private var sound: (percent: Int, isMuted: Bool)?
  private var queue: PlayQueue?
  private var settings: Settings?
  private var timers: [String]?
  /// Lines that are left out if a sentence of the same turn says it better.
  private var queueLine: String?
  private var timerLines: [String] = []

  public init() {}

  // MARK: Events

  public mutating func lines(for notices: [PlaybackNotice], _ snapshot: PlaybackSnapshot) -> [String] {
    var lines = notices.compactMap { line(for: $0) }
    let new = (percent: Int((snapshot.volume * 100).rounded()), isMuted: snapshot.isMuted)
    if let sound {
      if new.percent != sound.percent { lines.append("volume \(new.percent)%") }
      if new.isMuted != sound.isMuted { lines.append(new.isMuted ? "muted" : "unmuted") }
    }
    // The volume that the server sets at the start is no event.
    if sound != nil || told != nil && !isStarting { sound = new }
    return lines
  }

  private mutating func line(for notice: PlaybackNotice) -> String? {
    switch notice {
    // Failures go to standard error.
    case _ where notice.isFailure: return nil
    case .state(let state, let reason, _):
      return tell(state, reason) ? notice.logText : nil
    case .trackBegan:
      (told, isStarting) = ((.playing, ""), true)
    case .seeked: isStarting = true
    case .foundPlaylist: queueLine = nil
    default: break
    }
    return notice.logText
  }

  /// Notes a state; true if it is worth a line.
  private mutating func tell(_ state: PlaybackState, _ reason: PlaybackReason) -> Bool {
    if state == .playing { isStarting = false }
    switch reason {
    case .starting, .connecting, .seeking:
      isStarting = true
      return false
    case .buffering where isStarting: return false
    default: break
    }
    let new = (state, state == .playing ? "" : reason.eventName)
    let isNew = told.map { $0 != new } ?? true
    told = new
    defer { isNextTold = false }
    return isNew && !isNextTold
  }

  public mutating func line(for sentence: String) -> String {
    if sentence == queueLine || sentence.hasPrefix("undone: ") || sentence.hasPrefix("redone: ") { queueLine = nil }
    if !timerLines.isEmpty { (timerLines, isNextTold) = ([], true) }
    return sentence
  }

  // MARK: The queue, settings and timers

  /// The lines for a queue whose entries or modes may have changed.
  public mutating func lines(for new: PlayQueue) -> [String] {
    defer { queue = new }
    guard let old = queue else { return [] }
    var lines: [String] = []
    if new.isShuffled != old.isShuffled { lines.append("shuffle \(new.isShuffled ? "on" : "off")") }
    if new.repeatMode != old.repeatMode { lines.append("repeat \(new.repeatMode.word)") }
    if new.stopPoint != old.stopPoint {
      switch new.stopPoint {
      case .none: lines.append("plays on after this track")
      case .track: lines.append("stops after this track")
      case .album: lines.append("stops after this album")
      case .each: lines.append("stops after each track")
      }
    }
    if new.consumption != old.consumption { lines.append("consume \(new.consumption.word)") }
    if new.entries != old.entries {
      // Tracks that leave the queue because they were played are no event of their own.
      let consumed = new.consumedCount - old.consumedCount
      let count = new.entries.count - old.entries.count + consumed
      let tracks = counted(abs(count), "track")
      if count != 0 || consumed == 0 {
        queueLine = count == 0 ? "queue order changed" : tracks + (count > 0 ? " added" : " removed")
      }
    }
    return lines
  }

  public mutating func lines(for new: Settings) -> [String] {
    defer { settings = new }
    guard let old = settings, old != new else { return [] }
    return Setting.allCases.filter { !Setting.secret.contains($0) && old.text(of: $0) != new.text(of: $0) }.map {
      "\($0.rawValue) \(new.text(of: $0))"
    }
  }

  public mutating func note(timers new: [String]) {
    defer { timers = new }
    guard let old = timers else { return }
    timerLines =
      new.filter { !old.contains($0) }
      + old.compactMap { $0.split(separator: " ").first }.filter { name in !new.contains { $0.hasPrefix(name) } }
      .map { "\($0) off" }
  }

  /// The lines that no sentence has replaced. Once per turn of the loop.
  public mutating func endTurn() -> [String] {
    defer { (queueLine, timerLines) = (nil, []) }
    return timerLines + [queueLine].compactMap(\.self)
  }
}
