import Playback
import Testing

@testable import Commands
@testable import Player

/// Answers to commands: they come after the effect.
struct CommandAnswerTests {
  private final class Answers {
    var all: [CommandAnswer] = []
  }

  private func ask(_ line: String, _ bench: Bench) throws -> Answers {
    let answers = Answers()
    bench.session.perform(try #require(try Command.parse(line), "\(line)")) { answers.all.append($0) }
    return answers
  }

  @Test func `a track that is started is answered when it can be heard`() throws {
    let bench = try Bench("a", "b")
    let answers = try ask("play", bench)
    #expect(answers.all.isEmpty)
    bench.run(milliseconds: 50)
    #expect(answers.all == [.done(nil)])
    #expect(bench.observer.snapshot.state == .playing)
  }

  @Test func `a pause is answered when the engine has obeyed`() throws {
    let bench = try Bench("a")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    let answers = try ask("pause", bench)
    #expect(answers.all.isEmpty)
    bench.run()
    #expect(answers.all == [.done(nil)] && bench.observer.snapshot.state == .paused)
  }

  @Test func `a refusal is answered at once, and the listener at the screen does not see it`() throws {
    let bench = try Bench("a")
    #expect(try ask("undo", bench).all == [.refused("nothing to undo")])
    #expect(try ask("previous", bench).all == [.refused("no track before this one")])
    #expect(bench.observer.sentences.isEmpty)
    try bench.perform("undo")
    #expect(bench.observer.sentences == ["nothing to undo"])
  }

  @Test func `a seek of a stopped player is refused`() throws {
    let bench = try Bench("a")
    #expect(try ask("seek 0:07", bench).all == [.refused("Cannot seek: no track is loaded")])
    try bench.perform("play")
    bench.run(milliseconds: 50)
    try bench.perform("stop")
    bench.run()
    #expect(try ask("seek 0:07", bench).all == [.refused("Cannot seek: the player is stopped")])
  }

  @Test func `a question is answered with a sentence`() throws {
    let bench = try Bench("a")
    let answers = try ask("speed", bench)
    bench.run()
    #expect(answers.all == [.done("speed is 1; speed 0.5 to 2 sets it")])
  }

  @Test func `a track that cannot be played is answered, too`() throws {
    let bench = try Bench("missing")
    let answers = try ask("play", bench)
    bench.run(milliseconds: 1000)
    #expect(answers.all == [.done(nil)] && bench.observer.snapshot.state == .stopped)
  }

  @Test func `a choice that cannot be played is refused, with the reason`() {
    var pending = PendingCommands()
    pending.markReached = 9
    var answers: [CommandAnswer] = []
    for isPlayback in [true, false] {
      pending.add(.engine(mark: 9, isPlayback: isPlayback), CommandWitness(sentences: ["x"])) { answers.append($0) }
    }
    pending.refusePlayback("http://a: no answer")
    for (answer, result) in pending.take(PlaybackSnapshot()) { answer(result) }
    #expect(answers == [.refused("http://a: no answer"), .done("x")])
  }

  @Test
  func `a request for a file is answered before a track that is opening, and after a queued one`() {
    var snapshot = PlaybackSnapshot()
    (snapshot.state, snapshot.reason) = (.waiting, .starting)
    for isPlayback in [false, true] {
      var pending = PendingCommands()
      pending.markReached = 9
      pending.add(.files(isPlayback: isPlayback), CommandWitness()) { _ in }
      #expect(pending.take(snapshot).isEmpty)
      pending.finishFiles(of: 0, CommandWitness(), mark: 9)
      #expect(pending.take(snapshot).isEmpty == isPlayback)
    }
    let rate = Command.library(.rate(.toggleLove, []))
    #expect(rate.end == .files(isPlayback: false) && Command.collect([], .played).end == .files(isPlayback: true))
  }

  @Test func `without a home folder nothing is rated`() throws {
    #expect(try ask("rate 8", try Bench("a")).all == [.refused("there is no library without a home folder")])
  }

  @Test func `quitting is answered before the end`() throws {
    let bench = try Bench("a")
    #expect(try ask("quit", bench).all == [.done(nil)] && bench.session.ending == .done)
  }
}
