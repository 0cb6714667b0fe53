internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Library
internal import Player
internal import Streaming

/// `segue library pin [QUERY]`
struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Keep tracks of servers on the disk, to play them without a network.",
    discussion: """
      Fetches the original files of all tracks of a query that are on a server and in none of your folders. Ctrl-C \
      stops; 'segue library pin' without a query continues. So does the player, in the background. All together have \
      10 GB at most.
      """)

  @Flag(help: "Keep them no longer.") var off = false
  @OptionGroup var protection: ProtectionOptions
  @Argument(
    help: "Words and conditions; without any, what is not complete.", completion: .custom(ShellCompletion.query))
  var arguments: [String] = []

  func validate() throws {
    try LibraryCommand.refuseBlank(arguments)
    if off, arguments.isEmpty { throw ValidationError("Name the tracks that are not to be kept.") }
  }

  func run() throws {
    let library = try protection.library()
    if !arguments.isEmpty {
      let tracks = try LibraryCommand.tracks(named: arguments, in: library.view())
      let paths = tracks.map(\.path).filter(\.isOnServer)
      guard !paths.isEmpty else {
        throw ExitCode.nothingPlayable.reporting("library", "no track of a server matches")
      }
      let count = try PinStore(library).change(paths, isPinned: !off)
      say("\(counted(count, "track")) \(off ? "not pinned any more" : "pinned")")
    }
    Interruption.expect()
    let network = Network(StreamOptions.configuration(keepsNothing: false))
    defer { network.shutDown() }
    var line = ProgressLine()
    let showsProgress = isatty(STDERR_FILENO) == 1
    let outcome = try PinRun(library, network) { !off && !Interruption.hasCome }.run { path in
      if showsProgress { line.show("fetch \(path)") }
    }
    if showsProgress { line.clear() }
    if outcome.isElsewhere { report("library", "another program fetches pinned tracks") }
    if !off { say("\(counted(outcome.fetchedCount, "track")) fetched (\(try PinStore(library).all().room))") }
    for failure in outcome.failures { report(failure.path, failure.reason) }
    _ = try library.view()
    if Interruption.hasCome { throw ExitCode(PlayerSession.Ending.signalled.rawValue) }
    if !off, !outcome.failures.isEmpty { throw ExitCode.someFailed }
  }

  /// Prints a line.
  private func say(_ text: String) {
    var output = LineWriter()
    output.add(text)
    output.flush()
  }
}

extension [PinStore.Pin] {
  /// `12 pinned, 340 of 10000 MB`
  var room: String {
    let wanted = filter(\.isWanted)
    let bytes = wanted.reduce(0) { $0 + ($1.byteCount ?? 0) }
    return "\(wanted.count) pinned, \((bytes + 999_999) / 1_000_000) of \(PinRun.byteLimit / 1_000_000) MB"
  }
}
