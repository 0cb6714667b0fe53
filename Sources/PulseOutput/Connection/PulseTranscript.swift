internal import AudioModel
internal import AudioOutput
internal import Glibc
internal import Threads

/// A text file of all events of the streams and the decisions about them, to be replayed: one line each,
/// `STREAM TIME VALUE EVENT -> DECISION`. Tests and the variable `SEGUE_PULSE_TRANSCRIPT`, a path, switch it on.
///
/// Under the connection's lock. Safety: `streamCount` is touched only there.
final class PulseTranscript: @unchecked Sendable {
  private let descriptor: Int32
  private var streamCount = 0

  /// Appends to a file; `nil` if it cannot be opened.
  init?(path: UnsafePointer<CChar>) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  static var fromEnvironment: PulseTranscript? {
    getenv("SEGUE_PULSE_TRANSCRIPT").flatMap { PulseTranscript(path: $0) }
  }

  fileprivate func makeNumber() -> Int {
    streamCount += 1
    return streamCount
  }

  fileprivate func add(_ line: String) {
    _ = (line + "\n").utf8.withContiguousStorageIfAvailable { write(descriptor, $0.baseAddress, $0.count) }
  }
}

/// The lines of one stream.
struct StreamTranscript {
  private let file: PulseTranscript
  private let number: Int

  init(_ file: PulseTranscript, _ format: PCMFormat) {
    self.file = file
    number = file.makeNumber()
    add("stream bytesPerFrame=\(format.bytesPerFrame) sampleRate=\(format.sampleRate)")
  }

  func add(_ event: CallPolicy.Event, _ effects: [CallPolicy.Effect]) {
    add("calls \(event) -> \(CallPolicy.text(effects))")
  }

  func add(_ event: WriteLedger.Event) { add("ledger \(event)") }

  func add(_ event: RenderEstimate.Event, _ decision: RenderEstimate.Decision, _ clock: AudioClock) {
    add("estimate \(event) -> \(RenderEstimate.text(decision, clock))")
  }

  private func add(_ line: String) { file.add("\(number) \(MonotonicTime.now.nanoseconds) \(line)") }
}

// Events in the form `name key=value key=value`; `-` is `nil`. Decisions as Swift prints them.

extension CallPolicy {
  static func text(_ effects: [Effect]) -> String {
    effects.isEmpty ? "-" : effects.map { "\($0)" }.joined(separator: ", ")
  }
}

extension RenderEstimate {
  static func text(_ decision: Decision, _ clock: AudioClock) -> String {
    "\(decision) frame=\(clock.frame) rate=\(clock.framesPerSecond)"
  }
}

extension CallPolicy.Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .corkRequested(let calls): "corkRequested \(calls)"
    case .uncorkRequested: "uncorkRequested"
    case .listed(let isMuted, let wantsMute, let calls):
      "listed isMuted=\(isMuted.text) wantsMute=\(wantsMute) \(calls)"
    case .resumed: "resumed"
    case .willRun: "willRun"
    case .uncorked(let calls): "uncorked \(calls)"
    case .corked: "corked"
    }
  }
}

extension CallPolicy.Calls: CustomStringConvertible {
  var description: String { "isOn=\(isOn) isOverruled=\(isOverruled)" }
}

extension WriteLedger.Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .requested: "requested"
    case .wrote(let byteCount, let firstReplaceable, let rendered):
      "wrote byteCount=\(byteCount) firstReplaceable=\(firstReplaceable) rendered=\(rendered.text)"
    case .wroteSilence(let frameCount, let frame): "wroteSilence frameCount=\(frameCount) at=\(frame)"
    case .padded: "padded"
    case .unpadded: "unpadded"
    case .ranEmpty: "ranEmpty"
    case .emptied(let frame): "emptied at=\(frame)"
    case .underran: "underran"
    case .flushed(let byteCount): "flushed byteCount=\(byteCount)"
    }
  }
}

extension RenderEstimate.Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .asked: "asked"
    case .outdated: "outdated"
    case .answered(let timing, let phase): "answered phase=\(phase) \(timing?.description ?? "-")"
    case .started(let time, let since, let isPipeWire):
      "started at=\(time.nanoseconds) since=\(since.nanoseconds) isPipeWire=\(isPipeWire)"
    case .requested(let frame, let time, let isExact):
      "requested frame=\(frame) at=\(time.nanoseconds) isExact=\(isExact)"
    case .corked: "corked"
    case .uncorked: "uncorked"
    case .muted(let time, let isPlaying): "muted at=\(time.nanoseconds) isPlaying=\(isPlaying)"
    case .moved: "moved"
    case .sink(let microseconds, let isPlain): "sink microseconds=\(microseconds) isPlain=\(isPlain)"
    case .stopped(let frame, let time): "stopped frame=\(frame) at=\(time.nanoseconds)"
    case .frozen(let time): "frozen at=\(time.nanoseconds)"
    case .ended(let time): "ended at=\(time.nanoseconds)"
    case .closed: "closed"
    }
  }
}

extension ServerTiming: CustomStringConvertible {
  var description: String {
    "waiting=\(waitingFrames) read=\(readFrame) isWriteKnown=\(isWriteIndexKnown) isReadKnown=\(isReadIndexKnown)"
      + " sink=\(sinkMicroseconds) silent=\(silentFrames) isPlaying=\(isPlaying) at=\(time.nanoseconds)"
  }
}

extension Optional {
  fileprivate var text: String { map { "\($0)" } ?? "-" }
}
