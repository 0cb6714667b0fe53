import AudioModel
import SignalProcessing
import Testing

@Suite struct `The gain of a track` {
  struct Row: Sendable, CustomTestStringConvertible {
    var mode: GainMode
    var track: Double? = nil, trackPeak: Double? = nil, album: Double? = nil, albumPeak: Double? = nil, preamp = 0.0
    var decibels: Double, isLowered = false
    var testDescription: String { "\(mode), \([track, trackPeak, album, albumPeak]), \(preamp)" }
  }

  @Test(arguments: [
    Row(mode: .off, track: -7, trackPeak: 1, album: -5, albumPeak: 1, decibels: 0),
    Row(mode: .track, track: -7, trackPeak: 1, album: -5, albumPeak: 1, decibels: -7),
    Row(mode: .album, track: -7, trackPeak: 1, album: -5, albumPeak: 1, decibels: -5),
    Row(mode: .album, track: -7, trackPeak: 1, decibels: -7),
    Row(mode: .track, album: -5, albumPeak: 1, decibels: -5),
    Row(mode: .track, decibels: 0),
    Row(mode: .track, preamp: -3, decibels: -3),
    Row(mode: .off, track: -7, preamp: 4, decibels: 4),
    Row(mode: .track, track: -7, preamp: 2, decibels: -5),
    // At most to full scale.
    Row(mode: .track, track: 9, trackPeak: 0.5, decibels: 6.0206, isLowered: true),
    Row(mode: .track, track: 3, trackPeak: 0.5, decibels: 3),
    Row(mode: .track, track: -1, trackPeak: 2, preamp: 6, decibels: -6.0206, isLowered: true),
    Row(mode: .album, track: 1, trackPeak: 0.9, album: 9, albumPeak: 1, decibels: 0, isLowered: true),
    // The peak is unknown: the limiter handles it.
    Row(mode: .track, track: 9, decibels: 9),
    Row(mode: .track, track: 9, trackPeak: 0, decibels: 9),
    // Tags of strangers.
    Row(mode: .track, track: .nan, trackPeak: .infinity, decibels: 0),
    Row(mode: .track, track: 1e9, trackPeak: -1, decibels: 40),
    Row(mode: .track, track: -1e9, trackPeak: .nan, preamp: .nan, decibels: -60),
    Row(mode: .track, track: 5, trackPeak: 1e300, decibels: -60, isLowered: true),
  ])
  func `is the tag's, with the preamp, and lowered to the peak`(row: Row) {
    var tags = TrackTags.Gain()
    (tags.track, tags.trackPeak, tags.album, tags.albumPeak) = (row.track, row.trackPeak, row.album, row.albumPeak)
    let gain = TrackGain(
      tags,
      settings {
        $0.gainMode = row.mode
        $0.preamp = row.preamp
      })
    #expect(abs(gain.decibels - row.decibels) < 1e-4)
    #expect(gain.isLowered == row.isLowered)
  }
}
