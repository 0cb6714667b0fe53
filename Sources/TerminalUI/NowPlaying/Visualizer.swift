internal import AudioModel
internal import AudioOutput
internal import Cells
internal import Playback
internal import SignalProcessing

/// The spectrum or the level meters above the slider. Requests the current sound 30 times a second, but only while it
/// is visible and moves.
struct Visualizer: Sendable {
  /// The level of a channel, and the peak that stays for a while.
  struct Meter: Sendable, Hashable {
    /// In decibels, within `range`.
    var average = Visualizer.floor
    /// In decibels, within `range`.
    var heldPeak = Visualizer.floor
    fileprivate var heldFor = TimeSpan.zero
  }

  /// The decibels that a meter can hold. Samples of floating-point files may be infinite.
  private static let range: ClosedRange<Float> = floor...99
  /// Decibels of an empty meter.
  static let floor: Float = -60
  private static let frameTime = TimeSpan.milliseconds(33)
  private static let holdTime = TimeSpan.seconds(1)
  /// Decibels per second.
  private static let fallRate: Float = 24
  /// Screens with fewer rows have none to spare.
  static let leastRows = 18

  private(set) var analyzer: SpectrumAnalyzer?
  private(set) var meters: [Meter] = []
  /// True once sound was requested: the player keeps from then on what it plays.
  private var isAnnounced = false
  /// The time of the latest frame.
  private var latest: MonotonicTime?
  /// The time between the last two frames.
  private var step = TimeSpan.zero

  /// The rows that it takes. They change with the track, not with the sound: `visualizer(_:)` draws them alone.
  func rowCount(_ model: ScreenModel) -> Int {
    let rows = model.size.rows
    guard rows >= Self.leastRows else { return 0 }
    return switch model.configuration.settings.visualizer {
    case .off: 0
    case .spectrum: min(rows / 8, 8)
    case .levels: max(2, min(model.playback.information.dataFormat?.channelsPerFrame ?? 2, rows / 4))
    }
  }

  /// The reason why a visualizer that was chosen does not appear.
  func refusal(of action: Action, _ model: ScreenModel) -> String? {
    guard case .set(.visualizer, _) = action, model.configuration.settings.visualizer != .off else { return nil }
    return rowCount(model) == 0 ? "it needs \(Self.leastRows) rows" : nil
  }

  /// The columns of each bar. One column stays free at each edge of the screen.
  static func bars(columns: Int) -> [Range<Int>] {
    let width = columns >= 120 ? 3 : 2
    return stride(from: 1, through: max(0, columns - 1 - width), by: width + 1).map { $0..<($0 + width) }
  }

  // MARK: Time

  /// The time of the next frame; `nil` while nothing moves.
  func deadline(_ model: ScreenModel) -> MonotonicTime? {
    guard model.isVisible, rowCount(model) > 0 else { return nil }
    guard isAnnounced else { return model.now }
    guard model.playback.clock.isRunning || !isAtRest else { return nil }
    return latest.map { $0 + Self.frameTime } ?? model.now
  }

  private var isAtRest: Bool {
    analyzer?.isAtRest ?? true && meters.allSatisfy { $0.average <= Self.floor && $0.heldPeak <= Self.floor }
  }

  /// The number of frames to read for the frame that is due; `nil` if none is.
  mutating func takeDue(_ model: ScreenModel) -> Int? {
    guard let deadline = deadline(model), deadline <= model.now else {
      if rowCount(model) == 0 { isAnnounced = false }
      return nil
    }
    isAnnounced = true
    // The first frame after a rest has the usual length.
    step = latest.map { min(model.now - $0, .milliseconds(100)) } ?? Self.frameTime
    latest = model.now
    return analyzer?.frameCount ?? 4096
  }

  // MARK: Sound

  /// Updates bars or meters; `nil` is silence.
  mutating func receive(_ sound: HeardSound?, _ model: ScreenModel) {
    let sound = model.playback.clock.isRunning && sound?.samples.isEmpty == false ? sound : nil
    switch model.configuration.settings.visualizer {
    case .off: (analyzer, meters) = (nil, [])
    case .spectrum:
      meters = []
      let barCount = Self.bars(columns: model.size.columns).count
      if let sound, analyzer?.fits(barCount: barCount, sampleRate: sound.sampleRate) != true {
        analyzer = SpectrumAnalyzer(barCount: barCount, sampleRate: sound.sampleRate)
      }
      analyzer?.add(sound?.mono ?? [], after: step.inSeconds)
    case .levels:
      analyzer = nil
      if let sound, sound.channelCount != meters.count {
        meters = Array(repeating: Meter(), count: sound.channelCount)
      }
      let levels = sound?.latestLevels ?? []
      for index in meters.indices { meters[index].move(to: levels.isEmpty ? nil : levels[index], after: step) }
    }
    if isAtRest, !model.playback.clock.isRunning { latest = nil }
  }
}

extension Visualizer.Meter {
  fileprivate mutating func move(to level: AudioLevel?, after step: TimeSpan) {
    let fall = Visualizer.fallRate * Float(step.inSeconds)
    average = max(average - fall, Self.limited(level?.averageDecibels))
    let peak = Self.limited(level?.peakDecibels)
    heldFor = heldFor + step
    if peak >= heldPeak {
      (heldPeak, heldFor) = (peak, .zero)
    } else if heldFor > Visualizer.holdTime {
      heldPeak = max(peak, heldPeak - fall)
    }
  }

  private static func limited(_ decibels: Float?) -> Float {
    guard let decibels, !decibels.isNaN else { return Visualizer.floor }
    return decibels.clamped(to: Visualizer.range)
  }
}
