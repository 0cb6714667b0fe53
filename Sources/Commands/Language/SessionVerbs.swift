package import AudioModel
internal import AudioSession
internal import Playback

public enum SessionVerbs {
  private enum Part: String, CaseIterable { case category, buffer, rate, active, interrupt, end, duck, route }

  private static let switches = [("on", true), ("off", false)]

  /// The audio session, and the events that simulate those of a sound server.
  public static let all: [Verb<Command>] = [
    Verb(
      "session",
      "[category NAME | buffer SECONDS | rate HERTZ | active | interrupt | end | duck | route]",
      "show or change the audio session, or simulate an event of it", completing: .words(Part.allCases.map(\.rawValue))
    ) { (scanner) throws(CommandError) in
      switch try scanner.choice(Part.allCases.map { ($0.rawValue, $0) }) {
      case nil: return .showSession
      case .category: return .setSession(try category(&scanner))
      case .buffer: return .setSession(.ioBufferDuration(try number(&scanner, "buffer", "0.1")))
      case .rate: return .setSession(.sampleRate(try number(&scanner, "rate", "48000")))
      case .active: return .setSession(.active(try scanner.choice(switches) ?? true))
      case .interrupt: return .playback(.interruptionBegan(.default, from: .simulation))
      case .end:
        let stays = try scanner.choice([("stay", true), ("resume", false)]) ?? false
        return .playback(.interruptionEnded(from: .simulation, shouldResume: !stays))
      case .duck: return .playback(.set(.ducked(try scanner.choice(switches) ?? true)))
      case .route:
        let reasons = RouteChangeReason.allCases.map { ("\($0)", $0) }
        return .playback(.routeChanged(try scanner.choice(reasons) ?? .oldDeviceUnavailable))
      }
    }
  ]

  private static func category(_ scanner: inout CommandScanner) throws(CommandError) -> AudioSessionRequest {
    let column = scanner.column
    guard let category = try scanner.choice(AudioSessionCategory.allCases.map { ("\($0)", $0) }) else {
      throw CommandError(message: "session category needs a name: session category playback", column: column)
    }
    var options: AudioSessionCategoryOptions = []
    while let option = try scanner.choice(AudioSessionCategoryOptions.named.map { ($0.name, $0.option) }) {
      options.insert(option)
    }
    return .category(category, options: options)
  }

  private static func number(
    _ scanner: inout CommandScanner, _ part: String, _ example: String
  ) throws(CommandError) -> Double {
    let word = try scanner.word(orSay: "session \(part) needs a number: session \(part) \(example)")
    guard let number = Double(word.text), number.isFinite else {
      throw CommandError(message: "not a number: \(word.text)", column: word.column)
    }
    return number
  }
}

extension AudioSession {
  /// The session in one sentence, with what the sound server does for it.
  package func sentence(_ ducking: OtherAudio.Ducking) -> String {
    var parts = ["session \(isActive ? "active" : "inactive")", categoryWords(category, options)]
    if preferredIOBufferDuration > 0 { parts.append("buffer \(written(preferredIOBufferDuration)) s") }
    if preferredSampleRate > 0 { parts.append("rate \(written(preferredSampleRate)) Hz") }
    switch ducksOthers ? ducking : .off {
    case .off: break
    case .on: parts.append("other programs are softer")
    case .unavailable: parts.append("the sound server does not lower other programs")
    }
    return (parts + ["role \(mediaRole)"]).joined(separator: ", ")
  }
}

extension AudioSessionRequest {
  /// The form of the command language.
  var words: String {
    switch self {
    case .category(let category, _, let options): categoryWords(category, options)
    case .active(let isActive): "active " + (isActive ? "on" : "off")
    case .ioBufferDuration(let seconds): "buffer " + written(seconds)
    case .sampleRate(let rate): "rate " + written(rate)
    }
  }
}

private func categoryWords(_ category: AudioSessionCategory, _ options: AudioSessionCategoryOptions) -> String {
  let names = AudioSessionCategoryOptions.named.filter { options.contains($0.option) }.map(\.name)
  return (["category \(category)"] + names).joined(separator: " ")
}
