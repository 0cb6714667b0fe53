internal import ArgumentParser
internal import ByteIO
internal import CGlibcExtras
internal import Commands
internal import Database
internal import Desk
internal import Glibc
internal import Player
internal import Sandbox
internal import Streaming
internal import Threads

/// The program: its subcommands, each in a file of `Commands`.
@main
struct Segue: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segue", abstract: "A music player for the terminal.",
    usage: "segue [<options>] [<file, folder, playlist, address or words> ...]\nsegue <subcommand>",
    discussion: """
      segue plays its arguments. Without arguments it resumes the last session; the first time \
      it shows a guide.

        segue ~/Music/Album
        segue nirvana in utero
        segue --shuffle --gain track ~/Music
        segue info song.flac

      Space pauses, Left and Right seek, q quits, ? shows all keys. 'segue help play' lists the options, 'segue doctor' \
      checks this machine, 'man segue' is the reference.
      """,
    version: programVersion,
    subcommands: [
      PlayCommand.self, InfoCommand.self, CoverCommand.self, PacketsCommand.self, DecodeCommand.self,
      LibraryCommand.self, LastFMCommand.self, DoctorCommand.self, SetupCommand.self, ControlCommand.self,
    ],
    defaultSubcommand: PlayCommand.self)

  /// Parses arguments that keep every byte of a path.
  ///
  /// Skips the argument parser for plain paths: it takes as long as everything else before the first paint.
  static func main() {
    StandardDescriptors.fill()
    CrashActions.install()
    let arguments = QueryArguments.separated(ByteArguments.all)
    // One heap for all threads of the player; those of a scan would wait for each other. Large blocks return to the system
    // when they are freed.
    if arguments.first != "library" { mallopt(SEGUE_M_ARENA_MAX, 1) }
    mallopt(SEGUE_M_MMAP_THRESHOLD, 1 << 17)
    ByteArguments.hideUserInfo()
    Settings.effectFiles = SoundFiles.standard
    let words = ["help"] + configuration.subcommands.compactMap { $0.configuration.commandName }
    PlayedWords.ownCommands.withLock { $0 = words }
    if !words.contains(arguments.first ?? ""), !arguments.contains(where: { $0.hasPrefix("-") }) {
      let inputs = arguments.map { BytePath(ByteArguments.bytes(of: $0)) }
      let program = PlayProgram(PlayOptions(inputs: inputs))
      if inputs.isEmpty ? program.wantsScreen : PlayedWords.areFiles(inputs) { Glibc.exit(program.run().rawValue) }
    }
    let wanted = arguments.count == 1 ? arguments[0].split(separator: "=", maxSplits: 1).map(String.init) : arguments
    if wanted.first == "--generate-completion-script", wanted.count < 3,
      let shell = wanted.count == 2 ? CompletionShell(rawValue: wanted[1]) : CompletionShell.autodetected()
    {
      print(CompletionScripts.text(for: shell, of: Self.self))
      return
    }
    do {
      var command = try subcommand(arguments) ?? parseAsRoot(arguments)
      try command.run()
    } catch let error as DatabaseError {
      report("library", error)
      exit(withError: ExitCode.cannotWork)
    } catch { exit(withError: error) }
  }

  /// A subcommand that has none below it; `nil` if that is not what the arguments say, or they are wrong.
  ///
  /// By way of `main` the argument parser would make the options of `play`, too, and in debug builds, which tests start
  /// thousands of times, check them: half of the time of `info`. What it says about wrong arguments names the whole
  /// command, so that is left to `main`.
  private static func subcommand(_ arguments: [String]) -> (any ParsableCommand)? {
    let command = configuration.subcommands.first {
      $0.configuration.commandName == arguments.first && $0.configuration.subcommands.isEmpty
    }
    return try? command?.parse(Array(arguments.dropFirst()))
  }
}
