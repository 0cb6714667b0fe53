import AudioModel
import ByteIO
import Playback
import SignalProcessing
import Testing

@testable import Commands

/// What changes the samples, in words.
struct SampleChangesTests {
  private var snapshot = PlaybackSnapshot()

  init() {
    snapshot.state = .playing
    snapshot.entry = QueueEntry(id: 0, location: .file(BytePath("/a.flac")))
    snapshot.route = AudioRoute(device: "hw:0", description: "Card", changes: "")
  }

  @Test func `without processing, at full volume, a device gets them as they are`() {
    #expect(sampleChanges(snapshot) == "")
  }

  @Test mutating func `a sound server tells nothing, and nothing is told while nothing plays`() {
    snapshot.state = .stopped
    #expect(sampleChanges(snapshot) == nil)
    snapshot.state = .paused
    #expect(sampleChanges(snapshot) == "")
    snapshot.route?.changes = nil
    #expect(sampleChanges(snapshot) == nil)
  }

  @Test mutating func `a gain of 0 dB, neutral effects and a flat equaliser change nothing`() {
    snapshot.gain = TrackGain(TrackTags.Gain(), snapshot.sound)
    snapshot.sound.effects = [StereoWidth(1)]
    #expect(sampleChanges(snapshot) == "")
  }

  @Test mutating func `every change has its words`() {
    var gain = TrackTags.Gain()
    gain.track = -6.2
    snapshot.sound.gainMode = .track
    snapshot.gain = TrackGain(gain, snapshot.sound)
    #expect(sampleChanges(snapshot) == "ReplayGain -6.2 dB")
    snapshot.sound.balance = 0.5
    snapshot.sound.effects = [Mono()]
    snapshot.speed = 1.25
    snapshot.crossfade = 2
    snapshot.volume = 0.5
    snapshot.route?.changes = "the device takes integers of 16 bits"
    #expect(
      sampleChanges(snapshot)
        == "ReplayGain -6.2 dB, balance, effects, another speed, crossfade, volume below 100 %, "
        + "the device takes integers of 16 bits")
    snapshot.isMuted = true
    #expect(sampleChanges(snapshot)?.contains("muted, the device") == true)
  }

  @Test mutating func `a preamp alone is named`() {
    snapshot.sound.preamp = 3
    snapshot.gain = TrackGain(TrackTags.Gain(), snapshot.sound)
    #expect(sampleChanges(snapshot) == "preamp +3.0 dB")
  }
}
