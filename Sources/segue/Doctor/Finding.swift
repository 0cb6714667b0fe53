internal import Commands
internal import Player

/// One result of `segue doctor`.
struct Finding {
  enum Verdict: String {
    case ok
    /// A feature is missing; playback works.
    case warning
    /// Playback does not work.
    case error
  }

  var subject: String
  var verdict = Verdict.ok
  var text: String
  /// The remedy; empty if none is needed.
  var remedy = ""
  /// The state as text for programs.
  var facts: JSON = .null

  func add(to output: inout LineWriter) {
    let padding = String(repeating: " ", count: max(1, 20 - subject.count))
    let verdict = verdict.rawValue + String(repeating: " ", count: max(1, 9 - verdict.rawValue.count))
    output.add((verdict + subject + padding + text).printable)
    if !remedy.isEmpty { output.add("         -> \(remedy)".printable) }
  }

  var json: JSON {
    [
      "subject": .string(subject), "verdict": .string(verdict.rawValue), "text": .string(text),
      "remedy": remedy.isEmpty ? .null : .string(remedy), "facts": facts,
    ]
  }
}
