internal import AudioModel
internal import ByteIO
internal import Playback
internal import Commands
internal import SignalProcessing

/// The status as cmus gives it to `cmus-remote -Q`, for the scripts that read that.
enum CmusStatus {
  /// All lines, without the empty one behind them.
  static func text(_ player: PlayerSnapshot) -> String { lines(player).joined(separator: "\n") + "\n" }

  static func lines(_ player: PlayerSnapshot) -> [String] {
    var lines = ["status \(player.snapshot.state.cmusWord)"]
    if player.isLoaded, let entry = player.entry {
      lines.append("file \(escaped(player.whole(entry.location).description))")
      lines.append("duration \(player.duration.map { String(seconds($0)) } ?? "-1")")
      lines.append("position \(seconds(player.position))")
      lines += tags(player).map { "tag \($0) \(escaped($1))" }
      if let stream = player.snapshot.stream, let name = stream.title ?? stream.stationName {
        lines.append("stream \(escaped(name))")
      }
    }
    let volume = player.isMuted ? 0 : player.volumePercent
    let settings: [(String, String)] = [
      ("aaa_mode", "all"), ("continue", "\(player.queue.stopPoint == .none)"), ("play_library", "false"),
      ("play_sorted", "false"),
      ("replaygain", player.settings.gain == .off ? "disabled" : player.settings.gain.rawValue),
      ("replaygain_limit", "true"),
      ("replaygain_preamp", player.settings.preamp.text(decimals: 6)),
      ("repeat", "\(player.queue.repeatMode == .all)"), ("repeat_current", "\(player.queue.repeatMode == .one)"),
      ("shuffle", player.queue.isShuffled ? "tracks" : "off"), ("softvol", "false"), ("vol_left", "\(volume)"),
      ("vol_right", "\(volume)"),
    ]
    return lines + settings.map { "set \($0) \($1)" }
  }

  private static func tags(_ player: PlayerSnapshot) -> [(String, String)] {
    guard let tags = player.tags else { return [] }
    let values: [(String, String?)] = [
      ("artist", tags.artist), ("album", tags.album), ("title", player.title),
      ("tracknumber", tags.trackNumber.map(String.init)),
      ("discnumber", tags.discNumber.map(String.init)), ("date", tags.date), ("genre", tags.genre),
      ("albumartist", tags.albumArtist), ("composer", tags.composer), ("comment", tags.comment),
    ]
    return values.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : (name, $0) } }
  }

  private static func seconds(_ value: Double) -> Int { Int(max(0, min(value, 1e9))) }

  /// `\` as `\\` and a line feed as `\n`.
  static func escaped(_ text: String) -> String { text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") }
}

extension PlaybackState {
  fileprivate var cmusWord: String {
    switch self {
    case .stopped: "stopped"
    case .playing, .waiting: "playing"
    case .paused: "paused"
    }
  }
}
