import AudioModel
import Cells
import Playback
import Testing

@testable import Commands
@testable import TerminalUI

/// Keys become actions: single keys, sequences, and keys without a meaning.
struct KeyInputTests {
  private var map: KeyMap {
    var map = KeyMap([.init(["g"], .move(.first)), .init(["q"], player: .quit(savesSession: true))])
    map.apply(.bind("gg", .player(.playback(.stop))))
    map.apply(.bind("xyz", .player(.next)))
    return map
  }

  @Test func `a sequence waits for its rest, and its beginning counts when the time is over`() {
    var keys = KeyInput()
    #expect(keys.take("g", map, at: .zero) == .pending)
    #expect(keys.isPending && keys.pendingText == "g …" && keys.deadline == .zero + .milliseconds(800))
    #expect(keys.expire(map, at: MonotonicTime(nanoseconds: 799_999_999)) == nil)
    #expect(keys.expire(map, at: .zero + .milliseconds(800)) == .action(.move(.first), then: []))
    #expect(!keys.isPending && keys.deadline == nil)
    _ = keys.take("g", map, at: .zero)
    #expect(keys.take("g", map, at: .zero + .milliseconds(1)) == .action(.player(.playback(.stop)), then: []))
  }

  @Test func `keys after the longest beginning are handled next`() {
    var keys = KeyInput()
    _ = keys.take("g", map, at: .zero)
    #expect(keys.take("q", map, at: .zero) == .action(.move(.first), then: ["q"]))
  }

  @Test func `unbound keys are reported the first time only, until bindings change`() {
    var keys = KeyInput()
    #expect(keys.take("w", map, at: .zero) == .nothing("w is not bound"))
    #expect(keys.take("w", map, at: .zero) == .nothing(nil))
    keys.reset()
    #expect(keys.take("w", map, at: .zero) == .nothing("w is not bound"))
    _ = keys.take("x", map, at: .zero)
    keys.abandon()
    #expect(keys.take("y", map, at: .zero) == .nothing("y is not bound"))
  }

  @Test func `the key that quits without saving is pressed twice`() {
    let quit = Action.player(.quit(savesSession: false))
    let map = KeyMap([.init(["Q"], quit), .init(["q"], player: .quit(savesSession: true))])
    let question = KeyInput.Outcome.nothing("Press Q again to quit without saving the session")
    var keys = KeyInput()
    #expect(keys.take("q", map, at: .zero) == .action(.player(.quit(savesSession: true)), then: []))
    #expect(keys.take("Q", map, at: .zero) == question)
    #expect(keys.take("Q", map, at: .zero + .seconds(1)) == .action(quit, then: []))
    #expect(keys.take("Q", map, at: .zero) == question)
    #expect(keys.take("Q", map, at: .zero + Notice.duration) == question, "the question was no longer shown")
    #expect(keys.take("w", map, at: .zero + Notice.duration) == .nothing("w is not bound"))
    #expect(keys.take("Q", map, at: .zero + Notice.duration) == question, "another key is an answer, too")
  }
}
