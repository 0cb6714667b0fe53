import AudioModel
import ByteIO
import Glibc
import Playback
import SoundServerSupport
import Streaming

/// Plays an address some times over and counts, each time that a stream is opened, what the process holds.
struct PartsProbe {
  var address: String
  var count: Int

  func run() {
    let output = HandCrankedOutput(tellsUnderruns: true)
    var settings = NetworkConfiguration()
    settings.backOff.firstDelay = .milliseconds(1)
    let network = Network(settings)
    let engine = PlaybackEngine(output: output, network: network) {}
    let entries = (0..<count).map { QueueEntry(id: $0, location: .url(address)) }
    engine.send(.play(entries[0], from: 0))
    var streamCount = 0
    repeat {
      engine.settle(within: .seconds(10))
      for notice in engine.takeNotices() {
        switch notice {
        case .needsNext(let id): engine.send(.setNext(id + 1 < count ? entries[id + 1] : nil, after: id))
        case .trackFailed(_, let message): say("fails: \(message)")
        default: break
        }
      }
      if output.streamCount > streamCount {
        streamCount = output.streamCount
        output.forgetClosed()
        say("\(streamCount) \(entryCount("/proc/self/fd")) \(entryCount("/proc/self/task"))")
      }
      if output.stream?.turn(frames: 4096) ?? 0 == 0 { usleep(500) }
      _ = output.stream?.takeBytes()
    } while engine.snapshot.state != .stopped
    say("\(engine.snapshot.reason)")
    engine.shutDown()
    network.shutDown()
  }
}
