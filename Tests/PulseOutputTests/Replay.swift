import AudioModel

@testable import PulseOutput

/// One line of a transcript (`PulseTranscript`): `STREAM TIME VALUE EVENT -> DECISION`.
struct TranscriptLine {
  var stream: String
  /// `stream`, `calls`, `ledger` or `estimate`.
  var value: String
  /// The name of the event.
  var name: String
  /// The decision; `nil` where nothing is decided.
  var decision: String?
  private var fields: [String: String] = [:]

  init?(_ text: String) {
    let parts = text.split(separator: " -> ", maxSplits: 1)
    guard let words = parts.first?.split(separator: " ").map(String.init), words.count >= 3 else { return nil }
    (stream, value) = (words[0], words[2])
    name = words.count > 3 ? words[3] : ""
    decision = parts.count > 1 ? String(parts[1]) : nil
    for word in words.dropFirst(3) {
      let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
      if pair.count == 2 { fields[pair[0]] = pair[1] }
    }
  }

  func number<Number: FixedWidthInteger>(_ key: String) throws -> Number {
    guard let number = fields[key].flatMap({ Number($0) }) else { throw Missing(key: key) }
    return number
  }

  func optionalNumber(_ key: String) throws -> Int64? { fields[key] == "-" ? nil : try number(key) }

  private func time() throws -> MonotonicTime { MonotonicTime(nanoseconds: try number("at")) }

  func fact(_ key: String) throws -> Bool {
    guard let fact = fields[key].flatMap({ Bool($0) }) else { throw Missing(key: key) }
    return fact
  }

  func optionalFact(_ key: String) throws -> Bool? { fields[key] == "-" ? nil : try fact(key) }

  func text(_ key: String) throws -> String {
    guard let text = fields[key] else { throw Missing(key: key) }
    return text
  }

  struct Missing: Error { var key: String }

  // MARK: Events

  func callEvent() throws -> CallPolicy.Event {
    func calls() throws -> CallPolicy.Calls {
      try CallPolicy.Calls(isOn: fact("isOn"), isOverruled: fact("isOverruled"))
    }
    switch name {
    case "corkRequested": return .corkRequested(try calls())
    case "uncorkRequested": return .uncorkRequested
    case "listed":
      return .listed(isMuted: try optionalFact("isMuted"), wantsMute: try fact("wantsMute"), try calls())
    case "resumed": return .resumed
    case "willRun": return .willRun
    case "uncorked": return .uncorked(try calls())
    case "corked": return .corked
    default: throw Missing(key: name)
    }
  }

  func ledgerEvent() throws -> WriteLedger.Event {
    switch name {
    case "requested": return .requested
    case "wrote":
      return .wrote(
        byteCount: try number("byteCount"), firstReplaceable: try number("firstReplaceable"),
        rendered: try optionalNumber("rendered"))
    case "wroteSilence": return .wroteSilence(frameCount: try number("frameCount"), at: try number("at"))
    case "padded": return .padded
    case "unpadded": return .unpadded
    case "ranEmpty": return .ranEmpty
    case "emptied": return .emptied(at: try number("at"))
    case "underran": return .underran
    case "flushed": return .flushed(byteCount: try number("byteCount"))
    default: throw Missing(key: name)
    }
  }

  func estimateEvent() throws -> RenderEstimate.Event {
    switch name {
    case "asked": return .asked
    case "outdated": return .outdated
    case "answered":
      guard let phase = RenderEstimate.Phase(rawValue: try text("phase")) else { throw Missing(key: "phase") }
      return .answered(fields["waiting"] == nil ? nil : try timing(), phase)
    case "started":
      // Older transcripts have one time.
      let since = MonotonicTime(nanoseconds: try number(fields["since"] == nil ? "at" : "since"))
      return .started(at: try time(), since: since, isPipeWire: try fact("isPipeWire"))
    case "requested": return .requested(frame: try number("frame"), at: try time(), isExact: try fact("isExact"))
    case "corked": return .corked
    case "uncorked": return .uncorked
    case "muted": return .muted(at: try time(), isPlaying: try fact("isPlaying"))
    case "moved": return .moved
    case "sink": return .sink(microseconds: try number("microseconds"), isPlain: try fact("isPlain"))
    case "stopped": return .stopped(frame: try number("frame"), at: try time())
    case "frozen": return .frozen(at: try time())
    case "ended": return .ended(at: try time())
    case "closed": return .closed
    default: throw Missing(key: name)
    }
  }

  private func timing() throws -> ServerTiming {
    ServerTiming(
      waitingFrames: try number("waiting"), readFrame: try number("read"), isWriteIndexKnown: try fact("isWriteKnown"),
      isReadIndexKnown: try fact("isReadKnown"), sinkMicroseconds: try number("sink"),
      silentFrames: try number("silent"), isPlaying: try fact("isPlaying"), time: try time())
  }
}

/// The values of one stream, fed with the events of a transcript.
struct Replay {
  private(set) var calls = CallPolicy()
  private(set) var ledger: WriteLedger
  private(set) var estimate: RenderEstimate

  init(_ line: TranscriptLine) throws {
    ledger = WriteLedger(bytesPerFrame: try line.number("bytesPerFrame"))
    estimate = RenderEstimate(sampleRate: try line.number("sampleRate"))
  }

  /// The decision for a line of a transcript.
  mutating func handle(_ line: TranscriptLine) throws -> String? {
    switch line.value {
    case "calls": return CallPolicy.text(calls.handle(try line.callEvent()))
    case "ledger":
      ledger.handle(try line.ledgerEvent())
      return nil
    default:
      let decision = estimate.handle(try line.estimateEvent(), ledger)
      return RenderEstimate.text(decision, estimate.clock)
    }
  }
}
