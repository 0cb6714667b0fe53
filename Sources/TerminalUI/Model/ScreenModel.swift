internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The part of the state that every view may read: the player, tags of tracks, settings, size and time.
struct ScreenModel: Sendable {
  private(set) var size: Size
  /// The time of the latest message.
  private(set) var now = MonotonicTime.zero
  /// False while the program is stopped in its terminal.
  private(set) var isVisible = true
  /// The columns of the view that is being brought up to date.
  var paneColumns = 0
  private(set) var playback = PlaybackSnapshot()
  var cover = TrackCover()
  /// Tags and durations of the tracks of the queue.
  private(set) var facts: [QueueEntry.ID: TrackFacts] = [:]
  /// The names of saved streams, by their addresses.
  private var streamNames: [String: String] = [:]
  /// The folder that Files shows; relative names in commands refer to it.
  private(set) var folder: BytePath?
  private(set) var configuration: Configuration
  private var fullTypography: Typography

  init(size: Size, typography: Typography, configuration: Configuration) {
    (self.size, fullTypography, self.configuration) = (size, typography, configuration)
  }

  /// The characters that the terminal can show and the settings allow.
  var typography: Typography {
    var typography = fullTypography
    if !configuration.settings.bidi { typography.visualOrder = nil }
    return typography
  }

  var canShowPictures: Bool { typography.hasPictures && configuration.settings.colors != .none }
  var showsCovers: Bool { canShowPictures && configuration.settings.cover != .off }
  /// True if there is room for small covers: in the player, before headings and in rows.
  var showsSmallCovers: Bool { showsCovers && size.columns >= 60 && size.rows >= 20 }

  /// True if the theme has colours of the cover, and the terminal can show them.
  var wantsCoverColors: Bool {
    configuration.hasCoverColors && typography.hasPalette && [.auto, .palette].contains(configuration.settings.colors)
  }

  var keyMap: KeyMap { configuration.keyMap }

  // MARK: Changes

  mutating func advance(to time: MonotonicTime) { now = max(now, time) }

  mutating func configure(_ new: Configuration) {
    configuration = new
    configuration.coverColors = cover.colors
  }

  /// Gives the theme the colours of the cover. Returns true if the look has changed.
  mutating func adoptCoverColors() -> Bool {
    guard configuration.coverColors != cover.colors else { return false }
    configuration.coverColors = cover.colors
    return configuration.hasCoverColors
  }

  mutating func adopt(_ typography: Typography) { fullTypography = typography }

  mutating func apply(_ settings: Settings) {
    // Views request the tags again.
    if settings.charset != configuration.player.charset { facts = [:] }
    configuration.player = settings
  }

  /// Stores the contents of a message about the player, its tracks or the screen.
  mutating func note(_ message: Message) {
    switch message {
    case .terminal(.resized(let size)): self.size = size
    case .visible(let isVisible): self.isVisible = isVisible
    case .playback(let snapshot): show(snapshot)
    case .answer(.facts(let new, let id)):
      let known = facts[id]
      // A track that failed stays marked until it plays, whatever its tags say.
      facts[id] = (new.failure == nil ? new : new.named(as: known)).failed(as: known)
    case .answer(.streams(let list)):
      let names = list.kept.compactMap { stream in stream.title.map { (stream.address.withoutUserInfo, $0) } }
      streamNames = Dictionary(names) { first, _ in first }
      if let id = playback.entry?.id, let known = facts[id] { facts[id] = known.named(asStation: liveName) }
    case .answer(.folder(let contents)): folder = contents.folder
    case .answer(.cover(let picture, let colors, let failure, let id)):
      cover.note(picture, colors, failure: failure, of: id)
    default: break
    }
  }

  private mutating func show(_ snapshot: PlaybackSnapshot) {
    let shown = playback
    playback = snapshot
    if snapshot.hasPendingSeek, snapshot.entry?.id == shown.entry?.id {
      // The snapshot is from before the seek: the target stays on the screen.
      playback.clock = shown.clock
      playback.stream?.shift = shown.stream?.shift
    }
    guard let id = snapshot.entry?.id, snapshot.information != MediaInformation() else { return }
    let new = TrackFacts(snapshot.information).named(as: facts[id])
    facts[id] = new.named(asStation: liveName)
  }

  /// The name of the current stream if it is live: the one that it was saved with, else its own.
  private var liveName: String? {
    guard let stream = playback.stream, stream.isLive else { return nil }
    guard case .url(let address)? = playback.entry?.location else { return stream.stationName }
    return streamNames[address.withoutUserInfo] ?? stream.stationName
  }

  /// Shows a seek target at once, so that the position does not jump back until the player has answered.
  mutating func movePosition(to target: Double) {
    let step = target - position
    playback.stream?.shift?.delay -= step
    playback.clock.position = target
    playback.clock.referenceTime = now
  }
}

extension ScreenModel {
  /// Seconds into the track now.
  var position: Double { max(0, playback.position(at: now)) }

  /// The time at which playback reaches a position ahead: a millisecond later, so that
  /// rounding cannot wake the program just before. `nil` while the position stands still, and for the distant future.
  func time(ofPosition target: Double) -> MonotonicTime? {
    let wait = (target - position) / playback.clock.speed
    guard playback.clock.isRunning, wait < 1e9 else { return nil }
    return now + .seconds(max(0, wait)) + .milliseconds(1)
  }

  /// The time at which the visible second changes; `nil` if it does not. The bar moves only then, which keeps a
  /// playing screen at one wake-up and a few bytes per second.
  var nextSecond: MonotonicTime? {
    let next = position.rounded(.down) + 1
    if let duration = playback.usableDuration, !playback.information.durationIsEstimated, next > duration { return nil }
    return time(ofPosition: next)
  }

  /// Seconds into the track that can be played: the whole track, or the kept part of a station.
  var seekRange: ClosedRange<Double>? { playback.seekRange(at: position) }

  /// Seconds into the track at a fraction of `seekRange`.
  func place(atFraction fraction: Double) -> Double {
    seekRange.map { $0.lowerBound + fraction * ($0.upperBound - $0.lowerBound) } ?? 0
  }

  /// Plays the current track from a place, also while it is paused or stopped.
  func play(from seconds: Double) -> [ScreenEffect] {
    let seek = Command.playback(.seek(to: seconds))
    return switch (playback.state, playback.entry) {
    case (.stopped, let entry?): [.send(.play(entry.id)), .send(seek)]
    case (.paused, _): [.obey(.player(seek)), .send(.resume)]
    default: [.obey(.player(seek))]
    }
  }

  /// Title of an entry, or the name of its file.
  func name(of entry: QueueEntry) -> String { facts[entry.id]?.title ?? entry.location.name }

  /// Name of the current track: the title that a station sends, the title of the track, or the name of its file.
  var trackName: String {
    if let title = playback.stream?.title?.visible { return title }
    return playback.entry.map { name(of: $0) } ?? ""
  }

  /// The chapter of the current track that plays, or its station; `nil` if it is the track's name.
  var part: String? {
    let part = playback.chapterTitle(at: position) ?? (liveName ?? playback.stream?.stationName)?.visible
    return part == trackName ? nil : part
  }

  /// The sentence of a view about the current track while there is none.
  func noTrack(_ subject: String) -> String {
    let key = keyMap.label(of: .show(.queue)).map { " Press \($0) for the queue, Enter plays." } ?? ""
    return "No track is loaded: its \(subject) shown here.\(key)"
  }

  /// A path, or a sentence with paths, in the form that people read: `~/Music`.
  func shown(_ text: String) -> String {
    guard let home = configuration.home else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.hasPrefix(home.description) else { return String(word) }
      return BytePath(String(word)).abbreviated(inHome: home).description
    }.joined(separator: " ")
  }

  /// A sentence of the player with the key for undo, or the command line's, in place of the command.
  func namingKeys(_ sentence: String) -> String {
    let sentence = shown(sentence)
    let key = keyMap.label(of: .player(.undo)) ?? keyMap.label(of: .prompt("")).map { $0 + "undo" }
    guard let key, sentence.hasSuffix(undoHint()) else { return sentence }
    return sentence.dropLast(undoHint().count) + undoHint(key)
  }

  /// The sentence on a change by hand, with the way to keep it unless it is kept.
  func sentence(on change: Action, _ effect: String) -> String {
    guard !configuration.keeps(change) else { return effect }
    let file = if case .keys = change.subject { "keys" } else { "config" }
    let line = configuration.origin(of: change).map { place in
      "To keep it, change line \(place.line) of \(shown(place.file)), which sets another value at each start"
    }
    return ["\(effect) (this session)", line ?? keeping(in: file)].compactMap(\.self).joined(separator: ". ")
  }

  /// The way to keep a change after this session; `nil` if no configuration files are read.
  func keeping(in file: String) -> String? {
    configuration.folder.map { "To keep it, add it to \($0)/\(file)" }
  }
}
