internal import Commands
internal import Playback

/// The modes of the queue, and the timers: the words about the queue in the header.
struct QueueSummary {
  let modes: QueueModes
  let timers: [String]

  /// The longest text first.
  var texts: [String] {
    let long: [String?] = [
      modes.isShuffled ? "shuffle" : nil, modes.repetition == .off ? nil : "repeat \(modes.repetition.word)",
      modes.stopPoint == .none ? nil : "stops after this" + (modes.stopPoint == .album ? " album" : ""),
    ]
    let short: [String?] = [
      modes.isShuffled ? "shuf" : nil, modes.repetition == .off ? nil : "rep-\(modes.repetition.word)",
      modes.stopPoint != .none ? "stop" : nil,
    ]
    let mark: [String?] = timers.isEmpty ? [] : ["timer"]
    let joined = { (words: [String?], gap: String) in words.compactMap(\.self).joined(separator: gap) }
    return [joined(long + timers, "  "), joined(short + timers, "  "), joined(short + mark, " ")]
  }
}
