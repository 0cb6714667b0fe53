internal import AudioModel
internal import Playback
internal import Player

/// The answer to `status`, in MPD's order.
enum MPDStatus {
  static func text(_ player: PlayerPicture, _ state: MPDState) -> String {
    var lines = [
      "volume: \(player.volumePercent)", "repeat: \(player.queue.repeatMode == .off ? 0 : 1)",
      "random: \(player.queue.isShuffled ? 1 : 0)", "single: \(single(player.queue))", "consume: 0",
      "partition: default", "playlist: \(player.queueVersion)", "playlistlength: \(player.queue.entries.count)",
      "mixrampdb: 0", "state: \(word(player.snapshot.state))",
    ]
    if player.settings.crossfade >= 1 { lines.append("xfade: \(Int(min(12, player.settings.crossfade)))") }
    if let row = player.row { lines += ["song: \(row)", "songid: \(player.queue.entries[row].id + 1)"] }
    if player.isLoaded { lines += track(player) }
    if let following = player.queue.peekNext(), player.queue.current != nil,
      let row = player.queue.index(of: following.id)
    {
      lines += ["nextsong: \(row)", "nextsongid: \(following.id + 1)"]
    }
    if player.scan.isRunning { lines.append("updating_db: \(player.scan.number)") }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func track(_ player: PlayerPicture) -> [String] {
    let position = max(0, min(player.position, 1e9))
    let total = player.duration.map { max(0, min($0, 1e9)) }
    var lines = ["time: \(Int(position)):\(Int(total ?? 0))", "elapsed: \(MPDSong.milliseconds(position))"]
    lines.append("bitrate: \((player.snapshot.information.bitRate ?? 0) / 1000)")
    if let total { lines.append("duration: \(MPDSong.milliseconds(total))") }
    if let format = player.snapshot.information.dataFormat, 1...10_000_000 ~= format.sampleRate {
      let bits = player.snapshot.information.sourceBitDepth.map { $0 < 0 ? "f" : String($0) } ?? "f"
      lines.append("audio: \(Int(format.sampleRate)):\(bits):\(format.channelsPerFrame)")
    }
    return lines
  }

  private static func single(_ queue: PlayQueue) -> String {
    queue.stopPoint == .track ? "oneshot" : queue.repeatMode == .one ? "1" : "0"
  }

  private static func word(_ state: PlaybackState) -> String {
    switch state {
    case .stopped: "stop"
    case .playing, .waiting: "play"
    case .paused: "pause"
    }
  }
}
