import AudioModel
import Testing

@testable import Library

/// Regular expressions that strangers write.
struct TextPatternTests {
  @Test(arguments: [
    ("^b.*d$", "beyond", true), ("^b.*d$", "Beyond", false), ("(?i)^B", "beyond", true), ("ü+", "üüx", true),
    ("^.$", "ü", true), ("", "", true), ("x", "", false), ("\\bone\\b", "no one here", true),
  ])
  func `expressions are those of PCRE2`(expression: String, text: String, isFound: Bool) throws {
    let effort = TextPattern.Effort(limit: .seconds(100))
    #expect(try TextPattern(expression, ignoresCase: false, effort).matches(text) == isFound)
    #expect(effort.failure == nil)
  }

  @Test func `case is ignored if that is wanted`() throws {
    let pattern = try TextPattern("^ÄR", ignoresCase: true, .init(limit: .seconds(100)))
    #expect(pattern.matches("ärger") && !pattern.matches("x"))
  }

  @Test(arguments: [
    ("a(b", "Error in regex at offset 3: missing closing parenthesis"),
    ("[", "Error in regex at offset 1: missing terminating ] for character class"),
    (String(repeating: "a", count: 1001), "Regular expression is too long"),
  ])
  func `an error is named with its place`(expression: String, text: String) {
    #expect(throws: TextPattern.Refusal(text: text)) {
      try TextPattern(expression, ignoresCase: false, .init(limit: .seconds(100)))
    }
  }

  /// Expressions that take for ever, or all memory, in libraries without limits.
  @Test(arguments: [
    "^(a+)+$", "^(a|aa)+$", "(?:a?){40}a{40}$", "^(?:(?:(?:a{0,30}){0,30}){0,30}){0,9}$", "^(?R)?a$|((?R)(?R)a)",
    String(repeating: "(", count: 300) + String(repeating: ")", count: 300), "((((a{1,999}){1,999}){1,999}){1,999})$",
    "(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)^(a+)+$",
  ])
  func `a hostile expression is refused, or fails after few steps`(expression: String) {
    let effort = TextPattern.Effort(limit: .seconds(100))
    do throws(TextPattern.Refusal) {
      let pattern = try TextPattern(expression, ignoresCase: false, effort)
      #expect(!pattern.matches(String(repeating: "a", count: 60) + "b") || effort.failure == nil)
      let failure = effort.failure
      // From then on nothing is searched.
      if failure != nil { #expect(!pattern.matches("aaaaaaaaa") && effort.failure == failure) }
    } catch { #expect(!error.text.isEmpty) }
  }

  @Test func `the expressions of one question share their time`() throws {
    let effort = TextPattern.Effort(limit: .zero)
    let (one, other) = (
      try TextPattern("a", ignoresCase: false, effort), try TextPattern("b", ignoresCase: false, effort)
    )
    #expect(one.matches("a") && effort.failure == "Regular expression takes too long" && !other.matches("b"))
  }
}
