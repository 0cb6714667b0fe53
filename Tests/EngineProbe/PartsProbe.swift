import AudioModel
import ByteIO
import Glibc
import Playback
import SoundServerSupport
import Streaming

/// Plays an address some times over and counts, each time that a stream is opened, what the process holds. Ends early if
/// that grows.
struct PartsProbe {
  var address: String
  var count: Int
  /// Once all is loaded: what comes and goes are connections and the threads that open a part.
  private var most: (descriptors: Int, threads: Int)?

  init(address: String, count: Int) { (self.address, self.count) = (address, count) }

  /// Prints the numbers of streams, descriptors and threads. Those of the parts before end a moment later, on a busy
  /// machine later than that: false if they do not.
  private mutating func report(_ streamCount: Int) -> Bool {
    var held = (descriptors: 0, threads: 0)
    let isBounded = waitUntil(milliseconds: 10) {
      held = (entryCount("/proc/self/fd"), entryCount("/proc/self/task"))
      return most.map { held.descriptors <= $0.descriptors && held.threads <= $0.threads } ?? true
    }
    if streamCount >= 20, most == nil { most = (held.descriptors + 10, held.threads + 5) }
    say("\(streamCount) \(held.descriptors) \(held.threads)")
    return isBounded
  }

  mutating func run() {
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
        case .trackFailed(_, let error): say("fails: \(error)")
        default: break
        }
      }
      if output.streamCount > streamCount {
        streamCount = output.streamCount
        output.forgetClosed()
        guard report(streamCount) else { return say("too much is held") }
      }
      if output.stream?.turn(frames: 4096) ?? 0 == 0 { usleep(500) }
      _ = output.stream?.takeBytes()
    } while engine.snapshot.state != .stopped
    say("\(engine.snapshot.reason)")
    engine.shutDown()
    network.shutDown()
  }
}
