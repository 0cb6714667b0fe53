/// A cue sheet: which tracks a file, or several, are made of.
public struct CueSheet: Hashable, Sendable {
  /// One track, from its INDEX 01 to that of the next in the file.
  public struct Track: Hashable, Sendable {
    /// The file it lies in, as written; empty for the file that the sheet lies in.
    public var file: [UInt8]
    /// The start in the file.
    public var start: MediaTime
    /// Silence before it that no file holds (PREGAP).
    public var pregap = MediaTime(0, timescale: 75)
    /// The same after it (POSTGAP).
    public var postgap = MediaTime(0, timescale: 75)
    /// Tags of the track and of the whole sheet, with the track's number.
    public var tags: TrackTags

    /// A track.
    public init(file: [UInt8], start: MediaTime, tags: TrackTags) {
      (self.file, self.start, self.tags) = (file, start, tags)
    }
  }

  /// In the sheet's order; those without INDEX 01 or file are left out.
  public var tracks: [Track]

  /// A sheet.
  public init(tracks: [Track]) { self.tracks = tracks }

  /// The end of a track: the next start in its file, whatever the order of the sheet; `nil` for the file's end.
  public func end(of track: Track) -> MediaTime? {
    tracks.lazy.filter { $0.file == track.file && $0.start > track.start }.map(\.start).min()
  }
}
