public import AudioSession
public import ByteIO
internal import Library
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
  /// Resumes a paused track; starts playback if no track is loaded.
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
  /// Sets the volume, 0...1.
  case setVolume(Double)
  case showVolume
  case toggleMute
  case showOutputs
  /// Plays on a device: its name, a part of its description, or `Settings.standardOutput`.
  case setOutput(String)
  /// Changes gain, equaliser, balance, effects or speed.
  case changeSound(SoundChange)
  /// Sets the sleep timer, switches it off, or shows the remaining time.
  case sleep(SleepTimer.Request)
  /// Sets the alarm, switches it off, or shows its time.
  case alarm(AlarmClock.Request)

  /// Shifts the times of the current lyrics, and keeps the shift for this track.
  case shiftLyrics(LyricsShift)

  case setSession(AudioSessionRequest)
  case showSession

  // The queue.
  case toggleShuffle
  case setShuffle(Bool)
  /// Switches to the next repeat mode: off, all, one.
  case cycleRepeat
  /// Repeats the current track, or nothing.
  case toggleRepeatOne
  case setRepeat(PlayQueue.RepeatMode)
  /// Stops after the current track or album, or not; `nil`: after the track, or not if a stop is set.
  case stopAfter(PlayQueue.StopPoint?)
  /// Removes entries from the queue when they have been played, or not; `nil`: each, or none if that is set.
  case consume(PlayQueue.Consumption?)
  case edit(QueueEdit)
  /// Undoes the last change of the list.
  case undo
  /// Redoes the change that was undone last.
  case redo
  /// Finds the media at these paths and addresses, and adds them to the queue at that place.
  case collect([BytePath], Destination)
  /// The same with names as a person wrote them, which may be relative to a folder.
  case find(WrittenNames, Destination, in: BytePath?)
  /// Writes the queue as a playlist into a folder; `replacesOther` allows it to replace any other playlist.
  case save(BytePath, replacesOther: Bool, in: BytePath?)

  // Settings.
  /// Changes a setting until the program ends.
  case set(Setting, String)
  case showSetting(Setting)

  /// Asks the music library, or changes its folders, ratings or playlists.
  case library(LibraryRequest)
  /// Asks for something that takes time, or performs such an act.
  case ask(Inquiry)

  /// Gives the terminal back to the shell; the player runs on without one.
  case detach
  case quit(savesSession: Bool)

  /// A place in the queue for new entries.
  public enum Destination: Sendable, Hashable {
    /// At a place in the order of playing.
    case turn(PlayQueue.Placement)
    /// Replaces the whole queue, by a list that is read anew.
    case whole
    /// Replaces the whole queue, and plays what is found at this one of the paths, from a place in seconds; `nil` to
    /// continue a long track where it was left. If the queue is that list already, its entry plays.
    case list(from: Int, at: Double? = nil)

    /// Plays what is found, from its start.
    public static let played = Destination.list(from: 0)

    package var replacesQueue: Bool {
      switch self {
      case .whole, .list: true
      case .turn: false
      }
    }
  }
}

extension Command {
  /// The event at which a command has taken effect, and is answered.
  package enum End: Equatable {
    case obeyed
    /// A track or a seek target can be heard, or cannot.
    case audible
    /// Files were read or written; `isPlayback`: a track that is played then can be heard, too.
    case files(isPlayback: Bool)
  }

  package var end: End {
    switch self {
    case .playback(let command): command.movesPlayback ? .audible : .obeyed
    case .play, .playFromStart, .resume, .togglePause, .next, .previous, .seekToPercent, .seekChapter, .goLive: .audible
    case .collect, .find, .library(.similar): .files(isPlayback: true)
    case .save, .shiftLyrics, .library(.rate), .library(.rateLists), .library(.playlist), .library(.sticker),
      .library(.importFacts),
      .library(.undo):
      .files(isPlayback: false)
    case .changeVolume, .setVolume, .showVolume, .toggleMute, .showOutputs, .setOutput, .changeSound, .sleep, .alarm,
      .setSession, .showSession, .toggleShuffle, .setShuffle, .cycleRepeat, .toggleRepeatOne, .setRepeat, .stopAfter,
      .consume, .edit, .undo, .redo, .set, .showSetting, .library, .ask, .detach, .quit:
      .obeyed
    }
  }
}
