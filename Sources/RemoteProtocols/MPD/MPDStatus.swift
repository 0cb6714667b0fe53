internal import AudioModel
internal import Library
internal import Playback
internal import Commands

/// The answer to `status`, in MPD's order.
enum MPDStatus {
  static func text(_ player: PlayerSnapshot, _ state: MPDState) -> String {
    var text = ""
    text.reserveCapacity(400)
    // Clients ask many times per second: one text, without a list of lines.
    func add(_ name: String, _ value: some LosslessStringConvertible) {
      text += name
      text += ": "
      text += value.description
      text += "\n"
    }
    add("volume", player.volumePercent)
    add("repeat", player.queue.repeatMode == .off ? 0 : 1)
    add("random", player.queue.isShuffled ? 1 : 0)
    add("single", single(player.queue))
    add("consume", consume(player.queue))
    add("partition", "default")
    add("playlist", player.queueVersion)
    add("playlistlength", player.queue.entries.count)
    add("mixrampdb", 0)
    add("state", word(player.snapshot.state))
    if player.settings.crossfade >= 1 { add("xfade", Int(min(12, player.settings.crossfade))) }
    if let row = player.row {
      add("song", row)
      add("songid", player.queue.entries[row].id + 1)
    }
    if player.isLoaded {
      let position = max(0, min(player.position, 1e9))
      let total = player.duration.map { max(0, min($0, 1e9)) }
      add("time", "\(Int(position)):\(Int(total ?? 0))")
      add("elapsed", MPDSong.milliseconds(position))
      add("bitrate", (player.snapshot.information.bitRate ?? 0) / 1000)
      if let total { add("duration", MPDSong.milliseconds(total)) }
      if let format = CatalogueTags.format(of: player.snapshot.information) { add("audio", format) }
    }
    if let row = player.queue.nextIndex {
      add("nextsong", row)
      add("nextsongid", player.queue.entries[row].id + 1)
    }
    if player.scan.isRunning { add("updating_db", player.scan.number) }
    return text
  }

  private static func single(_ queue: PlayQueue) -> String {
    queue.stopPoint == .track ? "oneshot" : queue.stopPoint == .each || queue.repeatMode == .one ? "1" : "0"
  }

  private static func consume(_ queue: PlayQueue) -> String {
    switch queue.consumption {
    case .off: "0"
    case .on: "1"
    case .once: "oneshot"
    }
  }

  private static func word(_ state: PlaybackState) -> String {
    switch state {
    case .stopped: "stop"
    case .playing, .waiting: "play"
    case .paused: "pause"
    }
  }
}
