import AudioModel
import ByteIO
import Playback

@testable import Commands
@testable import RemoteProtocols

/// A picture of a player that plays the second of three tracks, at 12.5 s of 215.
func playingSnapshot() -> PlayerSnapshot {
  var picture = PlayerSnapshot()
  picture.queue = PlayQueue(seed: 1)
  picture.queue.append(["a", "b", "c"].map { MediaLocation.file(BytePath("/music/\($0).flac")) })
  let entry = picture.queue.select(index: 1)
  picture.snapshot.state = .playing
  picture.snapshot.entry = entry
  picture.snapshot.information.duration = 215
  picture.snapshot.information.dataFormat = AudioStreamBasicDescription(
    sampleRate: 44100, formatID: .flac, channelsPerFrame: 2)
  picture.snapshot.information.tags.title = "Song"
  picture.snapshot.information.tags.artist = "Band"
  picture.snapshot.information.tags.album = "Record"
  picture.snapshot.information.tags.trackNumber = 2
  picture.snapshot.information.tags.date = "1999"
  picture.snapshot.information.tags.genre = "Rock"
  picture.snapshot.clock = PlaybackClock(position: 12.5, referenceTime: .zero, isRunning: false)
  picture.volume = 0.8
  return picture
}

/// The text that a connection sends.
func sent(_ effects: [RemoteEffect]) -> String {
  effects.map { if case .send(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "" } }.joined()
}

/// The commands that a connection asks for.
func commands(_ effects: [RemoteEffect]) -> [Command] {
  effects.compactMap { if case .perform(let command) = $0 { command } else { nil } }
}

extension RemoteConnection {
  mutating func hear(_ line: String, _ player: PlayerSnapshot = playingSnapshot()) -> [RemoteEffect] {
    handle(.line(Array(line.utf8)), player)
  }
}

/// A connection of MPD that is ready, as without a library.
func greetedMPDConnection() -> MPDConnection {
  var connection = MPDConnection(
    places: MPDPlaces(music: BytePath("/music"), playlists: BytePath("/lists")), start: .zero)
  _ = connection.handle(.opened, playingSnapshot())
  _ = connection.handle(.found(.done), playingSnapshot())
  return connection
}
