public import AudioSession
public import ByteIO
public import Library
public import Playback

/// A request to the player, the same for every face: keys, the command line, files of settings.
///
/// `PlayerSession.perform` obeys it. A command that the engine obeys as it is travels inside `playback`.
public enum Command: Sendable, Hashable {
  // Playback.
  /// Passed on to the engine.
  case playback(PlaybackCommand)
  /// Plays this entry from its start.
  case play(QueueEntry.ID)
  /// Plays the current entry from its start, the first one if no entry is current.
  case playFromStart
  /// Resumes a paused track; starts if no track is loaded.
  case resume
  /// Pauses or resumes; starts if no track is loaded.
  case togglePause
  case next
  case previous
  /// Seeks to a place in the track, 0...100.
  case seekToPercent(Double)
  /// Seeks to the start of the next chapter (1) or of the previous one (-1).
  case seekChapter(Int)
  /// Seeks to the newest audio that a station has sent.
  case goLive
  /// Changes the volume by a share of the full volume (0.05 is 5 %), within 0...1.
  case changeVolume(by: Double)
  /// 0...1.
  case setVolume(Double)
  case toggleMute
  case changeSound(SoundChange)

  /// Changes the audio session.
  case setSession(AudioSessionRequest)
  /// Says what the audio session is.
  case tellSession

  // The queue.
  case toggleShuffle
  case setShuffle(Bool)
  /// Off, all, one.
  case cycleRepeat
  /// Repeats the current track, or nothing.
  case toggleRepeatOne
  case setRepeat(PlayQueue.RepeatMode)
  case toggleStopAfterCurrent
  case edit(QueueEdit)
  case undo
  case redo
  /// Finds the media at these paths and addresses, and puts them there.
  case collect([BytePath], Destination)
  /// The same with names as a person wrote them, which may be relative to a folder.
  case find(WrittenNames, Destination, in: BytePath?)
  /// Writes the queue as a playlist into a folder; `replacesOther` allows it to replace any other playlist.
  case save(BytePath, replacesOther: Bool, in: BytePath?)

  // Settings.
  /// Changes a setting until the program ends.
  case set(Setting, String)
  /// Says the value of a setting.
  case tell(Setting)

  // Files. The answer to each of these is a `FileAnswer`.
  /// Lists a folder.
  case listFolder(BytePath)
  /// Completes a file name, or a folder name only.
  case complete(String, onlyFolders: Bool, in: BytePath?)
  /// Reads tags and durations of these entries, the most wanted first.
  case requestFacts([QueueEntry.ID])
  /// Measures the waveform of this entry instead of any earlier one.
  case requestWaveform(QueueEntry.ID)
  /// Reads the lyrics beside the file of this entry.
  case requestLyrics(QueueEntry.ID)
  /// Reads and decodes the cover of this entry instead of any earlier one.
  case requestCover(QueueEntry.ID)
  /// Changes the saved streams, if there is a change, and lists them.
  case editStreams(StreamEdit?)
  /// Asks the music library, or changes its folders.
  case library(LibraryRequest)
  /// Lists former command lines.
  case recallHistory
  /// Adds a command line to the history.
  case remember(String)

  case quit(savesSession: Bool)

  /// A place in the queue for new entries.
  public enum Destination: Sendable, Hashable {
    case turn(PlayQueue.Placement)
    /// After the current entry, and played at once.
    case now
    /// Replaces the whole queue.
    case whole
  }
}
