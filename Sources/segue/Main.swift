import ArgumentParser

/// The program: its subcommands, each in a file of `Commands`.
@main
struct Segue: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segue", abstract: "A music player for the terminal.",
    subcommands: [
      // PlayCommand.self goes here, and is to be `defaultSubcommand`.
      InfoCommand.self, PacketsCommand.self, DecodeCommand.self,
    ])

  /// Parses arguments that keep every byte of a path.
  static func main() { main(ByteArguments.all) }
}
