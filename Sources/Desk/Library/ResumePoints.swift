package import AudioModel
package import ByteIO
package import Library
package import Playback
internal import Threads

/// The places in long tracks at which the listener left them: audiobooks, podcasts, mixes. Pure; time is an argument.
package struct ResumePoints {
  /// A change: the track was left at a place, or its old place no longer counts.
  package struct Change: Sendable, Hashable {
    var path: BytePath
    /// Seconds into the track; `nil` to play it from its start.
    var seconds: Double?
  }

  /// Seconds into the tracks, by their absolute paths.
  private(set) var places: [BytePath: Double]
  /// The duration in seconds from which a track has a resume point; `nil` if none has one.
  package var leastDuration: Double?
  private var current: (path: BytePath, snapshot: PlaybackSnapshot)?
  private var fileVersion: FileVersion?
  /// The time at which a place has changed last. It is in the file a moment later.
  private var changed: MonotonicTime?
  private static let longestWriting = TimeSpan.seconds(10)

  /// A place nearer to an end of a track is not resumed, in seconds.
  private static let margin = 30.0
  /// Words in genres of tracks that are resumed whatever their duration.
  private static let longGenres = ["audiobook", "audio book", "podcast", "spoken", "speech", "hörbuch", "hörspiel"]

  package init(_ places: [BytePath: Double] = [:]) { self.places = places }

  /// The duration in seconds from which a track has a resume point unless the listener sets another one.
  static let usualDuration = 20 * 60.0

  /// True for a track that has resume points.
  static func areKept(duration: Double, genres: [String], leastDuration: Double) -> Bool {
    duration >= leastDuration
      || genres.contains { genre in Self.longGenres.contains { genre.lowercased().contains($0) } }
  }

  /// The place to start this track at, in seconds: 0 unless it was left there. The current track starts again.
  package func start(of location: MediaLocation) -> Double {
    guard leastDuration != nil, let path = location.libraryPath?.absolute, current?.path != path else { return 0 }
    return places[path] ?? 0
  }

  /// Follows the player. Returns the change for a track that has just been left.
  package mutating func handle(_ snapshot: PlaybackSnapshot, now: MonotonicTime) -> Change? {
    let path = snapshot.state == .stopped ? nil : snapshot.entry?.location.libraryPath?.absolute
    var change: Change?
    if let current, current.path != path || current.snapshot.entry?.id != snapshot.entry?.id {
      change = leave(at: now)
    }
    current = path.map { ($0, snapshot) }
    return change
  }

  /// Ends with the program.
  package mutating func finish(now: MonotonicTime) -> Change? { leave(at: now) }

  private mutating func leave(at now: MonotonicTime) -> Change? {
    defer { current = nil }
    guard let (path, snapshot) = current, let leastDuration, let duration = snapshot.information.duration else {
      return nil
    }
    let isLong = Self.areKept(
      duration: duration, genres: snapshot.information.tags.genres, leastDuration: leastDuration)
    let position = snapshot.position(at: now)
    let place = isLong && Self.margin...max(Self.margin, duration - Self.margin) ~= position ? position : nil
    guard places[path] != place else { return nil }
    (places[path], changed) = (place, now)
    return Change(path: path, seconds: place)
  }
}

extension MediaCollection {
  /// Notes where the listener left a book, if the entries are one, by the library in a folder. Blocks; for other music
  /// only the index is looked at.
  package mutating func findBookmark(in library: BytePath?) {
    guard entries.count > 1, let library, let index = LibraryIndex(folder: library),
      mayBeBook(LibraryView(index), library), let view = LibraryConnection.lastView(in: library),
      let (row, album) = view.unfinished(in: entries.map(\.location)), row > 0
    else { return }
    if album.place != nil || Self.isBook(album.track) { bookmark = row }
  }

  private func mayBeBook(_ view: LibraryView, _ library: BytePath) -> Bool {
    let first = entries[0].location.libraryPath.flatMap { view.track(at: $0.absolute) }
    if first.map(Self.isBook) ?? false { return true }
    var points = ResumePoints()
    points.update(from: library, now: .now)
    return entries.contains { $0.location.libraryPath.map { points.places[$0.absolute] != nil } ?? false }
  }

  private static func isBook(_ track: LibraryTrack) -> Bool {
    ResumePoints.areKept(duration: 0, genres: track.genres, leastDuration: .infinity)
  }
}

// The file with the places, which a start reads instead of the database: seconds, a space, a path, and a zero byte each.
extension ResumePoints {
  /// The places in a file. Damaged parts are skipped.
  package init(file bytes: [UInt8]) {
    self.init()
    for part in bytes.split(separator: 0) {
      guard let space = part.firstIndex(of: UInt8(ascii: " ")),
        let seconds = Double(String(decoding: part[..<space], as: UTF8.self)), seconds > 0, seconds.isFinite
      else { continue }
      places[BytePath(Array(part[(space + 1)...]))] = seconds
    }
  }

  /// Takes the places of the file in the folder of the library if it is not the one that was taken last: a comparison
  /// with a server writes it, too. One that cannot be read changes nothing.
  package mutating func update(from folder: BytePath, now: MonotonicTime) {
    if let changed, now - changed < Self.longestWriting { return }
    let version = FileVersion(Self.path(in: folder))
    guard version != fileVersion, let bytes = try? SmallFile.read(Self.path(in: folder)) else { return }
    fileVersion = version
    places = ResumePoints(file: bytes).places
  }

  /// The contents of the file: as many of the places, from the first one on, as a small file may have.
  static func file(_ places: [(path: BytePath, seconds: Double)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for place in places {
      let part = Array("\(place.seconds) ".utf8) + place.path.bytes + [0]
      guard bytes.count + part.count <= SmallFile.limit else { break }
      bytes += part
    }
    return bytes
  }
}
