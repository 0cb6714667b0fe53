public import ByteIO
public import Library
public import Pictures
public import Playback

/// The answer to an `Inquiry`.
public enum Answer: Sendable, Hashable {
  // About tracks.
  case facts(TrackFacts, entryID: QueueEntry.ID)
  case waveform(Waveform, entryID: QueueEntry.ID)
  /// The cover of an entry, and its colours; `nil` without one. `failure`: why the cover that exists cannot be shown.
  case cover(Picture?, colors: PictureColors? = nil, failure: String? = nil, entryID: QueueEntry.ID)
  /// The lyrics beside the file of an entry, or those of a service.
  case lyrics(LyricsFiles, entryID: QueueEntry.ID)
  /// Seconds by which the listener has shifted the lyrics of an entry.
  case lyricsShift(Double, entryID: QueueEntry.ID)
  /// The reduced cover of the album of a track; `nil` without one. `side`: that of the inquiry.
  case smallCover(Picture?, of: BytePath, side: Int = Inquiry.smallCoverSide)

  // About files.
  case folder(FolderContents)
  /// File names with this beginning; folders end with a slash.
  case completions([String], beginning: String)
  case setup(SetupFacts)
  /// The listener's token for ListenBrainz is kept.
  case tokenKept
  /// Former command lines, the latest last.
  case history([String])
  case streams(StreamList)
  /// Media for the queue, found at these paths.
  case collected(MediaCollection, Command.Destination, from: [BytePath])
  /// The queue was written to this file.
  case saved(BytePath, count: Int)

  // About the library.
  case library(LibraryAnswer)
  /// The library as it is now, `nil` without a folder, and a number that each change of its playlists changes.
  case librarySummary(LibrarySnapshot?, playlists: Int)

  // For clients.
  case items([DiskItem])
  /// Lines for the client.
  case text(String)
  /// Lines for the client about each song of a playlist.
  case lines([String])
  case playlists([PlaylistName])
  /// The entries of a playlist. Those whose file is known to be absent are of the kind `other`.
  case playlist([DiskItem], PlaylistOrigin)
  /// Songs for the queue or for a playlist.
  case locations([MediaLocation])
  case coverPart(CoverPart)
  /// The file with a cover.
  case file(BytePath)

  // About acts.
  /// The act is done, or all facts have been told.
  case done
  case acted(CommandAnswer)
  case playlistsChanged
  /// There is no such file.
  case missing
  /// Another file has that name.
  case exists
  case failed(String)
  /// The running session could not be saved, for this reason.
  case sessionNotSaved(String)
  /// A sentence for the listener about something that no question was put about.
  case said(String)
}

extension Answer {
  /// True for the last answer to an act of the listener.
  package var endsAct: Bool {
    switch self {
    case .acted, .saved, .collected: true
    default: false
    }
  }
}

/// A party that asks the desk.
public enum Asker: Sendable, Hashable {
  /// The session, for all faces. `request`: the number of a command whose answer is awaited.
  case session(request: Int?)
  /// A client, by its number.
  case client(Int)

  package var isClient: Bool {
    if case .client = self { true } else { false }
  }
}

public typealias Reply = (asker: Asker, answer: Answer)
