public import Library
public import Pictures
public import Playback

/// The answer to a request about files.
public enum FileAnswer: Sendable, Hashable {
  /// The contents of a folder.
  case folder(FolderContents)
  /// File names with this beginning; folders end with a slash.
  case completions([String], beginning: String)
  /// Former command lines, the latest last.
  case history([String])
  /// The saved and recent streams.
  case streams(StreamList)
  /// Tags and duration of an entry.
  case facts(TrackFacts, entryID: QueueEntry.ID)
  /// The lyrics beside the file of an entry.
  case lyrics(LyricsFiles, entryID: QueueEntry.ID)
  /// Seconds by which the listener has shifted the lyrics of an entry.
  case lyricsShift(Double, entryID: QueueEntry.ID)
  /// The cover of an entry, and its colours; `nil` without one.
  case cover(Picture?, colors: PictureColors? = nil, entryID: QueueEntry.ID)
  /// The waveform of an entry.
  case waveform(Waveform, entryID: QueueEntry.ID)
  /// The music library.
  case library(LibraryAnswer)
}
