public import ByteIO

/// The index, the changes of the listener since it was written, and the playlists. A value: a snapshot of the library.
public struct LibraryView: Sendable {
  public let index: LibraryIndex
  /// The facts that have changed since the index was written, by track.
  private(set) var changes: [Int: ListenerFacts] = [:]
  /// The last change that is included.
  public private(set) var change: Int64
  /// The playlists, by name.
  public internal(set) var playlists: [Playlist] = []
  /// The tracks that were heard last, the latest first.
  var latestPlays: [LatestPlay] = []
  /// The queues of other programs that servers keep.
  public internal(set) var queueOffers: [QueueOffer] = []

  /// A queue that another program has kept on a server, from its current track on.
  public struct QueueOffer: Sendable, Hashable {
    public var server: String
    public var program: String?
    var recordings: [Int64]
    /// The place in its first track; `nil` if the current track is not known here.
    var seconds: Double?
    /// The number of its tracks that are not known here.
    public var unknownCount = 0

    public var count: Int { recordings.count }
  }

  /// A track that was heard.
  struct LatestPlay: Sendable {
    var recording: Int64
    /// The place at which it was left, in seconds; `nil` if the next play starts at its beginning.
    var resume: Double?
    var isSkip: Bool
  }

  /// A view without changes.
  public init(_ index: LibraryIndex) { (self.index, change) = (index, index.change) }

  mutating func note(_ facts: ListenerFacts, ofRecording recording: Int64, change: Int64) {
    for track in index.tracks(ofRecording: recording) { changes[track] = facts }
    self.change = max(self.change, change)
  }

  /// The track at a place in the order of the library.
  public func track(_ number: Int) -> LibraryTrack { LibraryTrack(view: self, number: number) }

  /// The track at a path, if its file is there, also if its row names another place. Looks at each folder.
  public func track(at path: BytePath) -> LibraryTrack? {
    let number =
      number(at: path) { $0 == .here }
      ?? otherPlace(at: path).flatMap { $0.state == .here ? index.tracks(ofRecording: $0.recording).first : nil }
    return number.map(track)
  }

  public func tracks(ofQueueOn server: String) -> [Int] {
    let offer = queueOffers.first { $0.server == server }
    return offer?.recordings.compactMap { index.tracks(ofRecording: $0).first } ?? []
  }

  /// The track at which the queue that a server keeps goes on, and seconds into it; `nil` if it is not known.
  public func start(ofQueueOn server: String) -> (track: Int, seconds: Double)? {
    guard let offer = queueOffers.first(where: { $0.server == server }), let seconds = offer.seconds,
      let track = offer.recordings.first.flatMap({ index.tracks(ofRecording: $0).first })
    else { return nil }
    return (track, seconds)
  }

  /// The row that names a path.
  func number(at path: BytePath, where isWanted: (FileState) -> Bool) -> Int? {
    numbers(inFolder: path.parent).first { isWanted(track($0).state) && track($0).path == path }
  }

  /// The tracks in a folder, whatever their states. Of the other tracks it reads one word each: the queue asks for as
  /// many paths as it shows.
  func numbers(inFolder folder: BytePath) -> [Int] {
    let bytes = folder.bytes
    var (last, isThere) = (UInt32.max, false)
    return (0..<index.trackCount).filter { number in
      let place = index.word(number, IndexLayout.Track.folder)
      if place != last { (last, isThere) = (place, index.bytes(place).elementsEqual(bytes)) }
      return isThere
    }
  }

  /// Another place of a track whose file is not there: a file, else a server. Looks at each folder, and at the disk.
  public func otherPlace(of location: MediaLocation) -> MediaLocation? {
    guard let path = location.libraryPath else { return nil }
    let row = number(at: path) { _ in true }
    guard let recording = row.map({ track($0).recording }) ?? otherPlace(at: path)?.recording else { return nil }
    let rows = index.tracks(ofRecording: recording).map(track)
    let places = rows.map { ($0.path, $0.state) } + (rows.first?.otherPlaces ?? []).map { ($0.path, $0.state) }
    let here = places.filter { $0.1 == .here && $0.0 != path }.map { MediaLocation(libraryPath: $0.0) }
    return here.first { $0.fileOnDisk?.exists == true } ?? here.first { $0.fileOnDisk == nil }
  }

  /// A place that no row names. Looks at each.
  private func otherPlace(at path: BytePath) -> OtherPlace? {
    let (folder, name) = (path.parent.bytes, path.lastComponent.bytes)
    return (0..<index.placeCount).lazy.map { OtherPlace(index: index, number: $0) }.first { $0.isAt(folder, name) }
  }

  /// The places that no row names whose paths are wanted.
  public func otherPlaces(where isWanted: (BytePath) -> Bool) -> [OtherPlace] {
    (0..<index.placeCount).lazy.map { OtherPlace(index: index, number: $0) }.filter { isWanted($0.path) }
  }

  /// The album at a place in the order of the library.
  public func album(_ number: Int) -> LibraryAlbum { LibraryAlbum(index: index, number: number) }

  /// The artist at a place in the order of the library.
  public func artist(_ number: Int) -> LibraryArtist { LibraryArtist(index: index, number: number) }
}

/// A track of the library. It is a place in the index; each property reads its fact from there.
public struct LibraryTrack: Sendable {
  let view: LibraryView
  /// Its place in the order of the library.
  public let number: Int

  private var index: LibraryIndex { view.index }
  private func word(_ word: IndexLayout.Track) -> UInt32 { index.word(number, word) }

  /// The file, or the track of a cue sheet.
  public var location: MediaLocation { MediaLocation(libraryPath: path) }
  /// The path, byte for byte; of a track of a cue sheet `album.cue#3`.
  public var path: BytePath { folder.appending(BytePath(index.bytes(word(.name)))) }
  public var folder: BytePath { BytePath(index.bytes(word(.folder))) }
  /// The same number for all tracks of a folder.
  public var folderNumber: Int { Int(word(.folder)) }
  /// When the file was changed last: seconds since 1970.
  public var modified: Int64 { Int64(word(.modified)) }
  /// The title, or the file's name.
  public var title: String { index.text(word(.title)) }
  /// The artist as credited.
  public var artist: String? { index.optionalText(word(.artist)) }
  /// The artists one by one.
  public var artists: [String] { index.texts(word(.artists)) }
  /// Its album, by its place in the order of the library.
  public var albumNumber: Int { Int(word(.album)) }
  public var album: LibraryAlbum { LibraryAlbum(index: index, number: albumNumber) }
  public var genres: [String] { index.texts(word(.genres)) }
  public var composers: [String] { index.texts(word(.composers)) }
  /// The disc, by the tags or by the name of the folder.
  public var disc: Int? { word(.number).high > 0 ? word(.number).high : nil }
  /// The number on the disc.
  public var track: Int? { word(.number).low > 0 ? word(.number).low : nil }
  /// The date as tagged.
  public var date: String? { index.optionalText(word(.date)) }
  public var year: Int? { word(.yearRatingState).high > 0 ? word(.yearRatingState).high : nil }
  public var state: FileState { FileState(rawValue: word(.yearRatingState).low & 0xff) ?? .here }
  /// Seconds.
  public var duration: Double? { word(.duration) > 0 ? Double(word(.duration)) / 1000 : nil }
  public var durationIsEstimated: Bool { marks.contains(.estimatedDuration) }
  /// True if the tags have a title.
  public var hasTitle: Bool { marks.contains(.title) }
  /// True if the tags have an album.
  public var hasAlbum: Bool { marks.contains(.album) }
  /// True if the tags have an artist of the album.
  public var hasAlbumArtist: Bool { marks.contains(.albumArtist) }
  private var marks: IndexLayout.Mark { IndexLayout.Mark(rawValue: word(.skipsLove).low & 0xff) }
  /// The format: four characters.
  public var format: String { index.text(word(.format)) }
  /// Bits per second.
  public var bitRate: Int { Int(word(.bitRate)) }
  /// The number of the file in the catalogue.
  var file: Int64 { Int64(word(.file)) }
  /// The number of its recording among the listener's facts.
  public var recording: Int64 { Int64(word(.recording)) }

  /// Ratings, counts and dates of the listener.
  var facts: ListenerFacts {
    if let changed = view.changes[number] { return changed }
    return ListenerFacts(
      added: Int64(word(.added)), plays: Int(word(.plays)), skips: word(.skipsLove).high, last: Int64(word(.last)),
      rating: index.rating(ofTrack: number), love: word(.skipsLove).low >> 8 != 0)
  }
  /// From 0 to 10; `nil` if it has none.
  public var rating: Int? { facts.rating }
  public var plays: Int { facts.plays }
  public var skips: Int { facts.skips }
  public var isLoved: Bool { facts.love }
  /// The time at which it was added to the library: seconds since 1970.
  public var added: Int64 { facts.added }
  /// The same as a date and time (UTC): `2026-11-22T22:25:06Z`.
  public var addedText: String { CalendarDate.text(added) }
  /// The time at which it was heard last: seconds since 1970.
  public var lastPlayed: Int64? { facts.last > 0 ? facts.last : nil }
}

public struct LibraryAlbum: Sendable {
  let index: LibraryIndex
  /// Its place in the order of the library.
  public let number: Int

  private func word(_ word: IndexLayout.Album) -> UInt32 { index.word(number, word) }

  public var title: String { index.text(word(.title)) }
  /// The artist as credited.
  public var artist: String { index.text(word(.artist)) }
  /// The artists one by one.
  public var artists: [String] { index.texts(word(.artists)) }
  /// Its tracks, by their places in the order of the library; they stand together.
  public var tracks: Range<Int> {
    let first = min(Int(word(.firstTrack)), index.trackCount)
    return first..<min(index.trackCount, first + Int(word(.trackCount)))
  }
  public var year: Int? { word(.yearRule).high > 0 ? word(.yearRule).high : nil }
  /// The rule that made these tracks one album.
  public var rule: AlbumRule { AlbumRule(rawValue: UInt8(truncatingIfNeeded: word(.yearRule).low >> 8)) ?? .folder }
  /// True if its tracks are by several artists.
  public var isCompilation: Bool { word(.yearRule).low & 1 != 0 }
  /// The time at which its latest track was added: seconds since 1970.
  public var added: Int64 { Int64(word(.added)) }
  /// Seconds.
  public var duration: Int { Int(word(.duration)) }
  /// The version, which distinguishes releases with the same title.
  public var version: String? { index.optionalText(word(.version)) }
}

/// An artist who has albums.
public struct LibraryArtist: Sendable {
  let index: LibraryIndex
  /// Its place in the order of the library.
  public let number: Int

  /// The name; empty for albums without an artist.
  public var name: String { index.text(index.word(number, IndexLayout.Artist.name)) }
  /// The places of the albums.
  public var albums: [Int] { index.list(index.word(number, IndexLayout.Artist.albums)).map { Int($0) } }
  public var trackCount: Int { Int(index.word(number, IndexLayout.Artist.trackCount)) }
}
