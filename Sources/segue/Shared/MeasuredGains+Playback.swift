internal import Desk
internal import Library
internal import Playback
internal import Player

extension PlaybackEngine.Configuration {
  /// The player's default, with the loudness that the library has measured.
  static var withMeasuredGains: Self {
    var configuration = Self()
    let gains = UserFolders().data.map { MeasuredGains(folder: $0) }
    configuration.measuredGain = { gains?.gain(of: $0) }
    return configuration
  }
}
