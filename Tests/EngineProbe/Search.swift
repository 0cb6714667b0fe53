import EngineExercise
import Foundation
import SoundServerSupport

/// Looks for a seed that fails, in processes that may crash, and for the fewest commands that do.
struct Search {
  var fixtures: String

  /// Returns the status of the program: 0 if nothing fails.
  func run(from first: UInt64, count: UInt64, commandCount: Int) throws -> Int32 {
    let output = try child(["seeds", fixtures, "\(first)", "\(count)", "\(commandCount)"])
    guard output.status != 0 else {
      print("\(count) runs of \(commandCount) commands: nothing fails")
      return 0
    }
    let last = output.lines.last { $0.hasPrefix("seed ") }?.dropFirst(5) ?? ""
    guard let seed = UInt64(last) else {
      print("no seed: \(output.lines.joined(separator: "\n"))")
      return 2
    }
    let (setup, commands) = Exercise.random(seed: seed, commandCount: commandCount)
    print("seed \(seed) fails: \(output.lines.last { !$0.hasPrefix("seed ") } ?? "") (status \(output.status))")
    let (shortest, message) = try shrink(setup, commands)
    print("\(message)\n\(shortest.0.description)")
    for command in shortest.1 { print(command) }
    return 1
  }

  private func child(_ arguments: [String]) throws -> (status: Int32, lines: [String]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
  }

  /// Delta debugging: leaves out what it fails without.
  private func shrink(
    _ setup: Exercise.Setup, _ commands: [ExerciseCommand]
  ) throws -> ((Exercise.Setup, [ExerciseCommand]), String) {
    let folder = try TemporaryFolder()
    var message = ""
    // Another failure on the way would be another story.
    var kind: String?
    func fails(_ setup: Exercise.Setup, _ commands: [ExerciseCommand]) throws -> Bool {
      let text = ([setup.description] + commands.map(\.description)).joined(separator: "\n")
      let path = "\(folder.path)/commands"
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      let output = try child(["replay", fixtures, path])
      guard output.status != 0 else { return false }
      let line = output.status == 3 ? output.lines.last ?? "" : "a crash"
      let found = line.filter(\.isLetter)
      kind = kind ?? found
      if kind == found { message = line }
      return kind == found
    }
    guard try fails(setup, commands) else { return ((setup, commands), "does not fail again") }
    var (setup, commands) = (setup, commands)
    var size = max(1, commands.count / 2)
    while true {
      var place = 0
      var isShorter = false
      while place < commands.count {
        var fewer = commands
        fewer.removeSubrange(place..<min(place + size, commands.count))
        if try fails(setup, fewer) { (commands, isShorter) = (fewer, true) } else { place += size }
      }
      if size == 1, !isShorter { break }
      size = max(1, size / 2)
    }
    var place = setup.queue.count - 1
    while place >= 0, setup.queue.count > 1 {
      var fewer = setup
      fewer.queue.remove(at: place)
      if try fails(fewer, commands) { setup = fewer }
      place -= 1
    }
    _ = try fails(setup, commands)
    return ((setup, commands), message)
  }
}
