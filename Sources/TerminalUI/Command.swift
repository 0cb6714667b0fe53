public import ByteIO
public import Library
public import Playback
public import SignalProcessing

/// What the screen asks of the composition root, in order.
public enum Command: Sendable, Hashable {
  // The player.
  /// Play this entry from its start.
  case play(QueueEntry.ID)
  /// Play the current entry from its start; the first where nothing is current.
  case playFromStart
  /// Go on with what is paused; start where nothing is loaded.
  case resume
  /// Pause what plays, go on with what is paused; start where nothing is loaded.
  case togglePause
  case pause
  case stop
  case next
  case previous
  /// To so many seconds into the track.
  case seek(to: Double)
  /// By so many seconds, from the target of a seek that is still under way.
  case seekBy(Double)
  /// Whether a part of the track is played over and over, until another begins.
  case setLooped(Bool)
  /// By so much of the whole volume (0.05 is 5 %), the result clamped to 0...1.
  case changeVolume(by: Double)
  /// 0...1.
  case setVolume(Double)
  case toggleMute
  case changeSound(SoundChange)
  case toggleShuffle
  case setShuffle(Bool)
  /// Off, all, one.
  case cycleRepeat
  case setRepeat(PlayQueue.RepeatMode)
  case toggleStopAfterCurrent

  // The queue.
  case edit(QueueEdit)
  case undo
  case redo
  /// Find what these paths and addresses name, and put it there.
  case collect([BytePath], Destination)
  /// The same with names as a person wrote them, which may be relative to a folder.
  case find(WrittenNames, Destination, in: BytePath?)
  /// Write the queue as a playlist in a folder; whether in place of one that it was not loaded from.
  case save(BytePath, replacesOther: Bool, in: BytePath?)

  // What is on disk.
  /// Read a folder and send `folder`.
  case listFolder(BytePath)
  /// Find the names of files, or folders only, that begin so, in a folder, and send `completions`.
  case complete(String, onlyFolders: Bool, in: BytePath?)
  /// Find out what these entries are (tags, duration) and send `facts`; asked once each, most wanted first.
  case requestFacts([QueueEntry.ID])
  /// Measure this entry and send `waveform`, unless another is asked for before.
  case requestWaveform(QueueEntry.ID)
  /// Change the addresses that are kept, if there is something to change, and send `streams`.
  case editStreams(StreamEdit?)
  /// Read former command lines and send `history`; asked once.
  case recallHistory
  /// A command line that is to be recalled some day.
  case remember(String)

  // The terminal and the program.
  /// The listener changed how it looks.
  case configure(Configuration)
  /// Draw everything anew, whatever is on the terminal.
  case redraw
  /// Cork, restore the terminal, stop the process (Ctrl-Z).
  case suspend
  case quit(savesSession: Bool)

  /// Where in the queue something goes.
  public enum Destination: Sendable, Hashable {
    case turn(PlayQueue.Placement)
    /// Behind the current entry, and heard at once.
    case now
    /// In place of all entries.
    case whole
  }
}

/// What is done to the sound of every track from now on.
public enum SoundChange: Sendable, Hashable {
  case gain(GainMode)
  /// Decibels, -24...24.
  case preamp(Double)
  case equalizer(Equalizer)
  /// -1...1.
  case balance(Double)
  /// 0.5...2; by so much, the result clamped to that.
  case speed(Double), speedBy(Double)
  /// Times or divided by so much, the result clamped to 0.5...2.
  case speedTimes(Double), speedOver(Double)
}
