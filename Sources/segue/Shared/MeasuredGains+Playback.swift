internal import Desk
internal import Library
internal import Playback
internal import Player

extension PlaybackEngine.Configuration {
  /// The player's default, with what the library knows: measured loudness, and other places of tracks.
  static var withMeasuredGains: Self {
    var configuration = Self()
    guard let folder = UserFolders().data else { return configuration }
    let gains = MeasuredGains(folder: folder)
    configuration.measuredGain = { gains.gain(of: $0) }
    configuration.otherPlace = { location in
      LibraryIndex(folder: folder).flatMap { LibraryView($0).otherPlace(of: location) }
        ?? LibraryConnection.newPlace(of: location, in: folder)
    }
    return configuration
  }
}
