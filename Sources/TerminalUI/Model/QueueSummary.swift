internal import AudioModel
internal import Commands
internal import Playback

/// The current track, the modes of the queue, and the timers: the words about the queue in the header.
struct QueueSummary {
  let count: Int
  let playingIndex: Int?
  let modes: QueueModes
  let timers: [String]

  /// The longest text first.
  var texts: [String] {
    let place = playingIndex.map { "\($0 + 1) of \(count)" }
    let size = count == 0 ? nil : counted(count, "track")
    let long: [String?] =
      [
        modes.isShuffled ? "shuffle" : nil, modes.repetition == .off ? nil : "repeat \(modes.repetition.word)",
        modes.stopPoint == .none ? nil : "stops after this" + (modes.stopPoint == .album ? " album" : ""),
      ] + timers
    let short: [String?] = [
      modes.isShuffled ? "shuf" : nil, modes.repetition == .off ? nil : "rep-\(modes.repetition.word)",
      modes.stopPoint != .none ? "stop" : nil,
    ]
    let mark: [String?] = timers.isEmpty ? [] : ["timer"]
    let shortPlace = playingIndex.map { "\($0 + 1)/\(count)" } ?? size
    let joined = { (words: [String?], gap: String) in words.compactMap(\.self).joined(separator: gap) }
    return [
      joined([place.map { "track " + $0 } ?? size] + long, "  "), joined([place ?? size] + long, "  "),
      joined([shortPlace] + long, "  "), joined([shortPlace] + short + timers, "  "),
      joined([shortPlace] + short + mark, " "), joined(short + mark, " "),
    ]
  }
}
