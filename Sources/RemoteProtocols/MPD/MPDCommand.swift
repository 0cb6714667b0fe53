internal import Playback
internal import Commands

struct MPDCommand {
  typealias Body = @Sendable ([String], PlayerSnapshot, inout MPDState) throws(MPDError) -> MPDStep

  /// Numbers of arguments.
  let arguments: ClosedRange<Int>
  /// True if it does nothing but answer.
  var isQuestion = false
  let body: Body

  /// The refusal of a wrong number of arguments, in MPD's words.
  func refusal(of line: MPDLine) -> MPDError? {
    let count = line.arguments.count
    guard !(arguments ~= count) else { return nil }
    let kind =
      arguments.lowerBound == arguments.upperBound
      ? "wrong number of" : count < arguments.lowerBound ? "too few" : "too many"
    return MPDError(code: .argument, text: "\(kind) arguments for \"\(line.command)\"")
  }
}

protocol MPDTopic {
  static var commands: [(String, MPDCommand)] { get }
}

enum MPDCommands {
  static let table: [String: MPDCommand] = Dictionary(
    (MPDPlayback.commands + MPDModes.commands + MPDQueue.commands + MPDDatabase.commands + MPDPlaylists.commands
      + MPDStickers.commands + MPDSession.commands).map { ($0.0, $0.1) }
  ) { first, _ in first }
}

// Questions, and the arguments of commands, with MPD's words on wrong ones.
extension MPDTopic {
  typealias Entry = (String, MPDCommand)

  static func entry(_ name: String, _ arguments: ClosedRange<Int>, _ body: @escaping MPDCommand.Body) -> Entry {
    (name, MPDCommand(arguments: arguments, body: body))
  }

  /// A command that does nothing but answer.
  static func question(_ name: String, _ arguments: ClosedRange<Int>, _ body: @escaping MPDCommand.Body) -> Entry {
    (name, MPDCommand(arguments: arguments, isQuestion: true, body: body))
  }

  /// A question that is answered by text.
  ///
  /// - Parameter failure: For any other answer.
  static func ask(
    _ subject: MPDQuestion.Subject, _ state: MPDState, orElse failure: MPDError,
    _ body: @escaping (String) -> MPDStep = { .done($0) }
  ) -> MPDStep {
    .ask(.songs(SongQuestion(MPDQuestion(subject, state)))) { answer, _ in
      if case .text(let text) = answer { body(text) } else { fail(answer, orElse: failure) }
    }
  }

  /// The failure of a question, or another one for an answer that gives no reason.
  static func fail(_ answer: Answer, orElse failure: MPDError) -> MPDStep {
    if case .failed(let reason) = answer { .fail(MPDError(code: .system, text: reason)) } else { .fail(failure) }
  }

  static func integer(_ text: String) throws(MPDError) -> Int {
    guard let number = Int(text), -2_000_000_000...2_000_000_000 ~= number else {
      throw MPDError(code: .argument, text: "Integer expected: \(text)")
    }
    return number
  }

  static func unsigned(_ text: String) throws(MPDError) -> Int {
    let number = try integer(text)
    guard number >= 0 else { throw MPDError(code: .argument, text: "Number is negative: \(text)") }
    return number
  }

  static func boolean(_ text: String) throws(MPDError) -> Bool {
    guard text == "0" || text == "1" else {
      throw MPDError(code: .argument, text: "Boolean (0/1) expected: \(text)")
    }
    return text == "1"
  }

  static func seconds(_ text: String) throws(MPDError) -> Double {
    guard let number = Double(text), number.isFinite, number.magnitude < 1e9 else {
      throw MPDError(code: .argument, text: "Float expected: \(text)")
    }
    return number
  }

  /// `START:END`, `START:`, or one place.
  static func range(_ text: String, count: Int) throws(MPDError) -> Range<Int> {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2 else { throw MPDError(code: .argument, text: "Integer or range expected: \(text)") }
    let first = try integer(parts[0])
    guard first >= 0 else { throw .badIndex }
    guard parts.count == 2 else {
      guard first < count else { throw .badIndex }
      return first..<first + 1
    }
    let last = parts[1].isEmpty ? count : try unsigned(parts[1])
    guard first <= count, last >= first else { throw .badIndex }
    return first..<min(last, count)
  }

  /// Rows of the queue, all of them without a text.
  static func rows(_ text: String?, _ player: PlayerSnapshot) throws(MPDError) -> Range<Int> {
    let count = player.queue.entries.count
    guard let text else { return 0..<count }
    return try range(text, count: count)
  }

  static func row(_ text: String, _ player: PlayerSnapshot) throws(MPDError) -> Int {
    let row = try unsigned(text)
    guard row < player.queue.entries.count else { throw .badIndex }
    return row
  }

  static func entryID(_ text: String, _ player: PlayerSnapshot) throws(MPDError) -> QueueEntry.ID {
    let id = try unsigned(text) - 1
    guard player.queue.index(of: id) != nil else { throw .noSong }
    return id
  }
}
