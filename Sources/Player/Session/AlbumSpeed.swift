internal import ByteIO
internal import Commands
internal import Library
internal import Playback

/// The speed that was set by hand, and the album for which it holds: that of the track in which it was set. Pure.
struct AlbumSpeed {
  /// `nil` for that of the files of settings.
  private var speed: Double?
  /// `nil` until a track of it plays.
  private var album: (entry: QueueEntry, facts: TrackFacts?)?

  /// Notes a speed.
  ///
  /// - Parameters:
  ///   - standard: That of the files.
  ///   - entry: The loaded track; without one, the next that begins is of the album.
  mutating func note(_ new: Double, standard: Double, in entry: QueueEntry?, _ facts: TrackFacts?) {
    speed = new == standard ? nil : new
    album = entry.map { ($0, facts) }
  }

  /// The speed and the line of a track of its album in a playlist, to be saved; `nil` for that of the files.
  func saved(standard: Double) -> SessionRecord.SavedSpeed? {
    guard let speed, let album else { return nil }
    let change = SettingChange(.speed, written(speed), from: written(standard))
    return SessionRecord.SavedSpeed(change: change, track: PlaylistWriter.line(for: album.entry.location))
  }

  /// Takes a saved speed, unless that of the files has changed.
  mutating func restore(_ saved: SessionRecord.SavedSpeed, standard: Double) {
    guard saved.change.base == written(standard), let new = Double(saved.change.value) else { return }
    speed = new == standard ? nil : new
    album = (QueueEntry(id: -1, location: MediaLocation(written: saved.track, in: BytePath(""))), nil)
  }

  mutating func speed(of entry: QueueEntry, _ facts: TrackFacts?, standard: Double) -> Double {
    guard let speed else { return standard }
    guard let album else {
      self.album = (entry, facts)
      return speed
    }
    let isOfAlbum =
      entry.location == album.entry.location || entry.isOfAlbum(of: album.entry, facts, album.facts)
    guard isOfAlbum else { return standard }
    // The track at which a restart continues.
    self.album = (entry, facts ?? album.facts)
    return speed
  }
}
