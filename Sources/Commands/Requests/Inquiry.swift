public import AudioModel
public import ByteIO
public import Library
public import Pictures
public import Playback

/// A question, or an act, that needs a disk, a network, a database or much computing. Each is answered by one `Answer` or
/// more, unless its comment says something else.
public enum Inquiry: Sendable, Hashable {
  /// Pixels of the longer side of a cover in a list or in cells, and of one that takes much of the screen.
  public static let smallCoverSide = 160, largeCoverSide = 512

  // About tracks.
  /// Reads tags and durations of these entries: for the session what was asked for last comes first, because it is visible;
  /// for a client in their order, with `done` at the end.
  case facts([QueueEntry])
  /// Measures the waveform of an entry instead of any earlier one. No answer if that is not possible.
  case waveform(QueueEntry)
  /// Reads and decodes the cover of an entry instead of any earlier one, at about that many pixels.
  case cover(QueueEntry, side: Int = Inquiry.smallCoverSide)
  /// Reads the covers of albums by a track of each, reduced for lists, instead of those that were asked for earlier. Each
  /// has an answer of its own.
  case smallCovers([BytePath], side: Int = Inquiry.smallCoverSide)
  /// Reads the lyrics beside the file of an entry, and their shift.
  case lyrics(LyricsInquiry)
  /// Asks the server of an entry for its lyrics, then a service if there is one, instead of any earlier entry. No answer
  /// if they have none.
  case onlineLyrics(LyricsInquiry, from: WebAddress?)
  case shiftLyrics(LyricsShift, LyricsInquiry)

  // About files.
  /// Lists a folder. `withSheets`: reads its cue sheets, too, which may take long on a slow disk.
  case folder(BytePath, withSheets: Bool = false)
  /// Completes a file name, or a folder name only.
  case completions(String, onlyFolders: Bool, in: BytePath?)
  /// The next facts for the guide of the first start; without any, the first.
  case setup(SetupFacts?)
  /// Keeps the listener's token for ListenBrainz; without one, the screen asks for it.
  case keepToken(TypedSecret?)
  /// Lists former command lines.
  case history
  /// Adds a command line to them. No answer.
  case remember(String)
  /// Changes the saved streams, if there is a change, and lists them.
  case streams(StreamEdit? = nil)
  /// Finds the media at these paths and addresses.
  case collect([BytePath], Command.Destination)
  /// The same with names as a person wrote them, which may be relative to a folder, or a query of the library.
  case find(WrittenNames, Command.Destination, in: BytePath?)
  /// Writes a playlist of these entries. `loaded`: the file that they were loaded from, which may be replaced.
  case save([QueueEntry], BytePath, replacesOther: Bool, in: BytePath?, loaded: BytePath?)

  // About the library.
  /// `loaded`: the playlist file that the queue was loaded from, which names addresses.
  case library(LibraryRequest, loaded: BytePath? = nil)
  /// Starts or stops to measure the loudness of the library's tracks. No answer.
  case measureLoudness(Bool)
  /// The last change of the library, and of its playlists.
  case librarySummary

  // About files and songs, as clients ask for them.
  /// Files and folders at a path, or the song of that name.
  case listing(BytePath, isRecursive: Bool, withFacts: Bool)
  /// Songs of the music library, or of a folder if there is no library.
  case songs(SongQuestion)
  /// The names of all playlists: of the library, and of files in a folder.
  case playlists(in: BytePath?)
  case playlist(PlaylistPlace)
  case removePlaylist(BytePath)
  /// Renames a playlist file; its extension stays.
  case renamePlaylist(BytePath, to: String)
  /// Replaces the contents of a playlist file.
  case writePlaylist([MediaLocation], BytePath)
  /// Bytes of a track's cover from an offset on: of the cover in its tags, or of the picture in its folder. A folder has
  /// such a picture, too.
  case coverPart(MediaLocation, isEmbedded: Bool, from: Int, byteCount: Int)
  /// A file with the cover of a track. A cover from tags is written into `folder`; without a folder it has no file.
  case coverFile(MediaLocation, folder: BytePath?)
}

/// A track whose lyrics are wanted.
public struct LyricsInquiry: Sendable, Hashable {
  public var entry: QueueEntry
  /// The tags name the song; a service needs its duration, too.
  public var information: MediaInformation

  public init(_ entry: QueueEntry, _ information: MediaInformation) {
    (self.entry, self.information) = (entry, information)
  }
}

/// A question about songs in the language of a client. Its functions run where the library is read.
public protocol LibraryQuestion: Sendable {
  /// The folder that is to be read where there is no library; `nil` if only a library can answer.
  var listing: (folder: BytePath, isRecursive: Bool, withFacts: Bool)? { get }
  /// The playlist that the question is about, and whether the tags of its songs are needed.
  var playlist: (place: PlaylistPlace, withFacts: Bool)? { get }
  /// The answer of the library.
  ///
  /// - Parameters:
  ///   - tags: Reads the tags that the index lacks.
  ///   - stickers: Reads stickers of clients.
  ///   - written: When the library was scanned last: seconds since 1970.
  ///   - now: Seconds since 1970.
  func answer(
    _ view: LibraryView, tags: @escaping (LibraryTrack) -> CatalogueTags,
    stickers: (StickerStore.Query) -> [Sticker], written: Int64, now: Int64
  ) -> Answer
  /// The answer from files that were read.
  func answer(_ items: [DiskItem]) -> Answer
}

/// A question about songs; equal to itself only.
public final class SongQuestion: Sendable, Hashable {
  public let question: any LibraryQuestion

  public init(_ question: any LibraryQuestion) { self.question = question }

  public static func == (one: SongQuestion, other: SongQuestion) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

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
