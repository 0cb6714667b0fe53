internal import Player

/// What `segue doctor` has found out about one thing.
struct Finding {
  /// How it stands.
  enum Verdict: String {
    /// As it should.
    case ok
    /// Something is lost; music can be heard.
    case warning
    /// Nothing can be heard.
    case error
  }

  /// The thing.
  var subject: String
  var verdict = Verdict.ok
  /// What was found.
  var text: String
  /// What mends it; empty where nothing is to be mended.
  var remedy = ""
  /// The same for programs.
  var facts: JSON = .null

  /// Lines for people.
  func add(to output: inout LineWriter) {
    let padding = String(repeating: " ", count: max(1, 20 - subject.count))
    let verdict = verdict.rawValue + String(repeating: " ", count: max(1, 9 - verdict.rawValue.count))
    output.add((verdict + subject + padding + text).printable)
    if !remedy.isEmpty { output.add("         -> \(remedy)".printable) }
  }

  /// An object for programs.
  var json: JSON {
    [
      "subject": .string(subject), "verdict": .string(verdict.rawValue), "text": .string(text),
      "remedy": remedy.isEmpty ? .null : .string(remedy), "facts": facts,
    ]
  }
}
