internal import ArgumentParser
internal import Player

/// `segue setup`: the player, with the guide of the first start.
struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Show the guide of the first start: music folder, other players, lyrics, keys.")

  func run() throws {
    var options = PlayOptions(inputs: [])
    options.showsSetup = true
    let program = PlayProgram(options)
    guard program.wantsScreen else { throw ValidationError("setup needs a terminal.") }
    throw ExitCode(program.run().rawValue)
  }
}
