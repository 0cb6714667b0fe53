import AudioModel
import Glibc
import SoundServerSupport
import Testing

@testable import Playback

extension PlaybackEngine {
  /// Advances the device of `output` until something holds or the engine stops. No track follows the current one.
  ///
  /// - Parameters:
  ///   - note: Called with each notice.
  ///   - isEnough: The condition.
  ///   - play: Called with the sample rate and the bytes of each piece that is played.
  func crank(
    _ output: HandCrankedOutput, note: (PlaybackNotice) -> Void, until isEnough: () -> Bool,
    play: (Int, [UInt8]) -> Void
  ) {
    let isDone = waitUntil {
      settle(within: .seconds(60))
      for notice in takeNotices() {
        if case .needsNext(let id) = notice { send(.setNext(nil, after: id)) }
        note(notice)
      }
      if isEnough() || snapshot.state == .stopped { return true }
      guard let stream = output.stream else { return false }
      if stream.turn(frames: 2048) == 0 { usleep(1000) }
      play(stream.format.sampleRate, stream.takeBytes())
      return false
    }
    #expect(isDone, "\(snapshot.state) \(snapshot.reason)")
  }
}
