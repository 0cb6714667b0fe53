import EngineExercise
import Foundation
import Glibc
import SoundServerSupport

// Runs the engine under commands by chance. A run that fails, or ends the program, is made as short as it can be.
//
// EngineProbe search FIXTURES FIRST-SEED RUNS COMMANDS   in processes of their own
// EngineProbe seeds FIXTURES FIRST-SEED RUNS COMMANDS    in this one: writes each seed before it is run
// EngineProbe replay FIXTURES FILE                       a setup and commands, one a line
// EngineProbe trace FIXTURES FIRST-SEED RUNS COMMANDS    prints notices, snapshots and checksums: to compare two builds
// EngineProbe render FRAMES CALLS                        measures the output's thread in calls of `render`
// EngineProbe parts ADDRESS COUNT                        plays an address so often, and counts descriptors and threads

let arguments = CommandLine.arguments
guard arguments.count > 3 else { fatalError("see the top of main.swift") }
let fixtures = arguments[2]

/// At once, as the next line may never come.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func withFiles(_ body: (ExerciseFiles) throws -> Void) throws {
  let folder = try TemporaryFolder()
  try body(try ExerciseFiles(folder: folder.path, fixtures: fixtures))
}

func seeds(from first: UInt64, count: UInt64, commandCount: Int) throws {
  try withFiles { files in
    var most: (descriptors: Int, threads: Int)?
    for seed in first..<first + count {
      say("seed \(seed)")
      let (setup, commands) = Exercise.random(seed: seed, commandCount: commandCount)
      do { try Exercise(files, setup).run(commands) } catch {
        say("fails: \(error)")
        exit(3)
      }
      // Each run closes everything that it has opened.
      let held = (entryCount("/proc/self/fd"), entryCount("/proc/self/task"))
      most = most ?? (held.0 + 4, held.1 + 4)
      guard let most, held.0 <= most.0, held.1 <= most.1 else {
        say("fails: \(held.0) descriptors and \(held.1) threads")
        exit(3)
      }
    }
  }
}

func entryCount(_ folder: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 }

func replay(_ path: String) throws {
  let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  guard let setup = lines.first.flatMap({ Exercise.Setup($0) }) else { fatalError("no setup in \(path)") }
  try withFiles { files in
    let exercise = Exercise(files, setup)
    exercise.trace = say
    do { try exercise.run(lines.dropFirst().compactMap { ExerciseCommand($0) }) } catch {
      say("fails: \(error)")
      exit(3)
    }
  }
}

func trace(from first: UInt64, count: UInt64, commandCount: Int) throws {
  try withFiles { files in
    for seed in first..<first + count {
      say("seed \(seed)")
      let (setup, commands) = Exercise.random(seed: seed, commandCount: commandCount)
      let exercise = Exercise(files, setup)
      var lines: [String] = []
      exercise.trace = { lines.append($0.replacingOccurrences(of: files.folder, with: "")) }
      do { try exercise.run(commands) } catch { lines.append("fails: \(error)") }
      say((lines + exercise.digest).joined(separator: "\n"))
    }
  }
}

func number(_ place: Int, else other: UInt64) -> UInt64 {
  arguments.indices.contains(place) ? UInt64(arguments[place]) ?? other : other
}

let (first, count, commandCount) = (number(3, else: 0), number(4, else: 1), Int(number(5, else: 40)))
switch arguments[1] {
case "seeds": try seeds(from: first, count: count, commandCount: commandCount)
case "search": exit(try Search(fixtures: fixtures).run(from: first, count: count, commandCount: commandCount))
case "trace": try trace(from: first, count: count, commandCount: commandCount)
case "render": try RenderProbe(frameCount: Int(arguments[2]) ?? 1024, callCount: max(1, Int(first))).run()
case "replay": try replay(arguments[3])
case "parts":
  var probe = PartsProbe(address: arguments[2], count: Int(arguments[3]) ?? 1)
  probe.run()
default: fatalError("see the top of main.swift")
}
