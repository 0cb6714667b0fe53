import AudioModel
import AudioOutput
import SignalProcessing
import Testing

@testable import Playback

struct PlaybackSettingsTests {
  @Test func `values are kept within their limits`() {
    var settings = PlaybackSettings(shiftSeconds: 600)
    _ = settings.apply(.volume(7))
    _ = settings.apply(.speed(0.1))
    _ = settings.apply(.crossfade(99))
    _ = settings.apply(.balance(-3))
    _ = settings.apply(.gain(.track, preamp: 50))
    _ = settings.apply(.timeShift(-1))
    #expect(settings.volume == 1 && settings.speed == 0.5 && settings.crossfade == 12)
    #expect(settings.sound.balance == -1 && settings.sound.preamp == 24 && settings.shiftSeconds == 0)
  }

  @Test func `NaN changes nothing, or turns the setting off`() {
    var settings = PlaybackSettings(shiftSeconds: 600)
    _ = settings.apply(.volume(0.5))
    _ = settings.apply(.speed(1.5))
    _ = settings.apply(.crossfade(4))
    _ = settings.apply(.volume(.nan))
    _ = settings.apply(.speed(.nan))
    _ = settings.apply(.timeShift(.nan))
    _ = settings.apply(.crossfade(.nan))
    #expect(settings.volume == 0.5 && settings.speed == 1.5 && settings.shiftSeconds == 600)
    #expect(settings.crossfade == 0)
  }

  @Test func `no time shift is longer than a week`() {
    var settings = PlaybackSettings(shiftSeconds: 600)
    _ = settings.apply(.timeShift(.infinity))
    #expect(settings.shiftSeconds == 604_800)
  }

  @Test func `a change of the sound or the speed names the settings of queued audio, and no change has no effect`() {
    var settings = PlaybackSettings(shiftSeconds: 600)
    let before = EarlierSound(sound: settings.sound, speed: 1)
    #expect(settings.apply(.balance(0.5)) == .readAgain(before))
    #expect(settings.apply(.balance(0.5)) == nil)
    #expect(settings.apply(.speed(2)) == .changeSpeed(EarlierSound(sound: settings.sound, speed: 1)))
    #expect(settings.apply(.looped(true)) == nil && settings.apply(.crossfade(4)) == nil)
    #expect(settings.apply(.looped(false)) == .changeCrossfade)
    #expect(settings.apply(.volume(1)) == .sendVolume)
  }

  @Test func `ducking is 20 dB and leaves the volume as it is`() {
    var settings = PlaybackSettings(shiftSeconds: 0)
    _ = settings.apply(.ducked(true))
    #expect(settings.volume == 1)
    // A third root, as the server's scale is cubic.
    #expect(abs(settings.outputVolume * settings.outputVolume * settings.outputVolume - 0.1) < 1e-6)
  }

  @Test func `a repeated part of a track is not mixed with the next track`() {
    var settings = PlaybackSettings(shiftSeconds: 0)
    _ = settings.apply(.crossfade(4))
    _ = settings.apply(.looped(true))
    #expect(settings.crossfadeSeconds == 0 && settings.crossfade == 4)
  }
}

struct OutputRecoveryTests {
  private static func error(_ code: AudioOutputError.Code) -> AudioOutputError {
    AudioOutputError(code, detail: "test")
  }

  @Test func `without a device at first an output is refused; later it is lost`() {
    var recovery = OutputRecovery()
    #expect(recovery.lost(Self.error(.noServer)) == .outputRefused)
    #expect(recovery.lost(Self.error(.serverSilent)) == .streamNotOpened)
    recovery.started()
    #expect(recovery.lost(Self.error(.noServer)) == .outputLost)
    #expect(recovery.lost(Self.error(.serverSilent)) == .outputLost)
    #expect(recovery.lost(Self.error(.streamEnded)) == .deviceLost)
    #expect(recovery.lost(Self.error(.streamNotOpened)) == .streamNotOpened)
    #expect(recovery.lost(Self.error(.libraryMissing)) == .outputRefused)
  }

  @Test func `attempts follow after twice the time, 5 s at most, until one succeeds`() {
    var recovery = OutputRecovery()
    let start = MonotonicTime.zero + .seconds(1)
    var delays: [TimeSpan] = []
    for _ in 0..<7 {
      #expect(recovery.isFirstLoss == delays.isEmpty)
      recovery.plan(at: start)
      delays.append((recovery.time ?? start) - start)
    }
    #expect(delays.map { $0.inMicroseconds / 1000 } == [250, 500, 1000, 2000, 4000, 5000, 5000])
    recovery.endWait(at: start)
    #expect(recovery.time != nil)
    recovery.endWait(at: start + .seconds(6))
    #expect(recovery.time == nil && !recovery.isFirstLoss)
    recovery.started()
    #expect(recovery.isFirstLoss)
  }
}
