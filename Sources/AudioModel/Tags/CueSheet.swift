/// A cue sheet: the tracks in one or several files.
public struct CueSheet: Hashable, Sendable {
  /// One track, from its INDEX 01 to that of the next track in the file.
  public struct Track: Hashable, Sendable {
    /// The audio file as written; empty for the file that contains the sheet.
    public var file: [UInt8]
    /// Its name as text, in the character set of the sheet; `nil` if `file` is in UTF-8.
    public var fileName: String?
    /// The start in the file (INDEX 01).
    public var start: MediaTime
    /// Silence before it, which is in no file (PREGAP).
    public var pregap = MediaTime(0, timescale: 75)
    /// Silence after it, which is in no file (POSTGAP).
    public var postgap = MediaTime(0, timescale: 75)
    /// Tags of the track and of the whole sheet, with the track's number.
    public var tags: TrackTags

    /// A track without gaps; `file` as written.
    public init(file: [UInt8], start: MediaTime, tags: TrackTags) {
      (self.file, self.start, self.tags) = (file, start, tags)
    }
  }

  /// The tracks in the order of the sheet, without those that have no INDEX 01 or no file.
  public var tracks: [Track]

  /// A sheet with these tracks, in its order.
  public init(tracks: [Track]) { self.tracks = tracks }

  /// The end of a track: the next start in its file, in any order of the sheet; `nil` for the end of the file.
  public func end(of track: Track) -> MediaTime? {
    tracks.lazy.filter { $0.file == track.file && $0.start > track.start }.map(\.start).min()
  }
}
