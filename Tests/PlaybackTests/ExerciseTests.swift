import EngineExercise
import Foundation
import SoundServerSupport
import Testing

/// The engine under commands by chance (`EngineExercise`): what must hold is looked at after each, and at the end the
/// queue plays to its end. A device and a clock of the test's make each run repeatable.
@Suite struct `The engine under any commands` {
  private static let fixtures = ProcessInfo.processInfo.environment["SEGUE_FIXTURES"] ?? ".build/fixtures"

  /// SEGUE_EXERCISE_RUNS sets how many runs of 40 commands there are; SEGUE_EXERCISE_SEED the first of their seeds.
  @Test func `comes to the end of its queue`() throws {
    let environment = ProcessInfo.processInfo.environment
    let runs = environment["SEGUE_EXERCISE_RUNS"] ?? "100"
    let seed = environment["SEGUE_EXERCISE_SEED"] ?? "1"
    // In a process of its own, as what is looked for may end it; what fails is printed as short as it can be.
    let text = try ChildProcess.output(
      of: [ChildProcess.product("EngineProbe"), "search", Self.fixtures, seed, runs, "40"])
    #expect(text.hasSuffix("nothing fails\n"), "\(text)")
  }

  /// A failure that was found once: queue and commands, as the search printed them.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var lines: String
  }

  @Test(arguments: cases) func `plays on where it once did not`(found: Case) throws {
    let folder = try TemporaryFolder()
    let files = try ExerciseFiles(folder: folder.path, fixtures: Self.fixtures)
    let lines = found.lines.split(separator: "\n").map(String.init)
    let setup = try #require(lines.first.flatMap { Exercise.Setup($0) })
    let commands = lines.dropFirst().compactMap { ExerciseCommand($0) }
    #expect(commands.count == lines.count - 1)
    try Exercise(files, setup).run(commands)
  }

  private static let cases = [
    Case(
      testDescription: "a track that cannot be opened, while the next queue plays silence",
      lines: """
        setup 1 1 0 3 12 3
        wait 20
        play 2
        """),
    Case(
      testDescription: "another track, while the next queue plays silence",
      lines: """
        setup 1 1 14 5
        askNothing 11
        next 3
        """),
    Case(
      testDescription: "very short tracks of different formats lose no frame",
      lines: """
        setup 0 0 3 6 7 2 14 13
        play 57 2.79
        remove 4
        insert 49
        seek 2.93
        move 4 2
        remove 14 1
        """),
    Case(
      testDescription: "the server pauses a very short track that the next one follows in another format",
      lines: """
        setup 0 0 6 10
        askPause 12
        """),
    Case(
      testDescription: "all that was queued after the current track is taken back, which ends the queue",
      lines: """
        setup 1 1 2 2 4 11
        insert 26 1.51
        insert 59 2.93
        play 102 1.14
        remove 13 3
        remove 15 2
        """),
    Case(
      testDescription: "a very short track runs dry before the next of another format is there",
      lines: """
        setup 0 0 14 8 6
        remove 0 2
        seekBy 98.5
        insert 78 -3
        stop
        """),
    Case(
      testDescription: "each of several very short tracks is announced",
      lines: """
        setup 1 0 6 10 9
        insert 22 0.57
        insert 75 1.4
        next
        move 3 1
        """),
    Case(
      testDescription: "a seek to the end of a paused track, and then another format",
      lines: """
        setup 0 1 12
        insert 85 1.15
        play 85 2.46
        toggle
        seek 100
        """),
    Case(
      testDescription: "the sound changes while the next queue plays the silence before its first track",
      lines: """
        setup 0 0 1 10
        speed 2
        wait 250
        withhold
        wait 500
        equalizer 14
        """),
    Case(
      testDescription: "the last frame is heard as a track is added, and the feeder stands still",
      lines: """
        setup 0 0 7
        doze 500
        insert 18 0.42
        """),
    Case(
      testDescription: "another entry is played after the prepared queue alone has lost its device",
      lines: """
        setup 1 1 13 1 0 7
        remove 4 1
        pause
        loseDevice 9
        play 80 0.8
        """),
    Case(
      testDescription: "the end of a track that was removed is no failure, although the one behind it was bad",
      lines: """
        setup 0 0 7 11
        move 0 3
        wait 100
        loseServer 6
        insert 58 -3
        play 64 2.91
        move 8 3
        seekBy 98.5
        wait 500
        insert 26 -3
        remove 9 2
        seekBy 0.67
        """),
    Case(
      testDescription: "a seek in a track whose end is told together with it shows that track",
      lines: """
        setup 1 1 3 6
        wait 900
        doze 1500
        seek 0
        """),
  ]
}
