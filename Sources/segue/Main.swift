internal import ArgumentParser

/// The program: its subcommands, each in a file of `Commands`.
@main
struct Segue: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segue", abstract: "A music player for the terminal.",
    version: "0.1.0",
    subcommands: [PlayCommand.self, InfoCommand.self, PacketsCommand.self, DecodeCommand.self],
    defaultSubcommand: PlayCommand.self)

  /// Parses arguments that keep every byte of a path.
  static func main() { main(ByteArguments.all) }
}
