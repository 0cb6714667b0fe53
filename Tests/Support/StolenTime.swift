internal import Glibc
internal import Threads

/// The seconds for which the host of a virtual machine has let its processors wait, since the start of the machine.
public var stolenSeconds: Double { stolenSecondsOfProcessors.reduce(0, +) }

/// Those of each processor.
private var stolenSecondsOfProcessors: [Double] {
  // proc(5): the eighth time in the line of a processor, in hundredths of a second.
  String(decoding: contents(of: "/proc/stat"), as: UTF8.self).split(separator: "\n")
    .prefix { $0.hasPrefix("cpu") }.dropFirst()
    .map { line in
      let words = line.split(separator: " ")
      return words.count > 8 ? (Double(words[8]) ?? 0) / 100 : 0
    }
}

/// Notes when the host lets a processor of the virtual machine wait for a long while at a stretch.
public final class StandstillWatch: Sendable {
  private struct State {
    var isOver = false
    var longest: (seconds: Double, after: Duration)?
  }

  private let state = Guarded(State())
  private let thread: WorkerThread

  /// Begins now.
  public init() {
    let start = ContinuousClock.now
    thread = WorkerThread(named: "standstill") { [state] in
      // Windows that overlap, so that one of them has a standstill as a whole.
      var former = [stolenSecondsOfProcessors]
      while !state.withLock({ $0.isOver }) {
        usleep(50_000)
        let stolen = stolenSecondsOfProcessors
        let most = zip(former[0], stolen).map { $1 - $0 }.max() ?? 0
        former = [former.last ?? stolen, stolen]
        state.withLock { state in
          if most > state.longest?.seconds ?? 0 { state.longest = (most, ContinuousClock.now - start) }
        }
      }
    }
  }

  /// The longest time so far, at a stretch of a tenth of a second, and how long after the start that was.
  public var longest: (seconds: Double, after: Duration)? { state.withLock { $0.longest } }

  /// Ends it.
  public func end() {
    state.withLock { $0.isOver = true }
    thread.join()
  }
}
