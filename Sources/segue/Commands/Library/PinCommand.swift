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
      stops; 'segue library pin' without a query continues, and lists what is pinned. The player continues, too, in the \
      background. All together have 10 GB at most, or --limit; what is pinned is not deleted to make room.
      """)

  @Flag(help: "Keep them no longer.") var off = false
  @Option(help: "Set the room for all together, such as 20G or 500M, and keep that setting.") var limit: ByteLimit?
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
    if let limit { try PinStore(library).setByteLimit(limit.byteCount) }
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
    let outcome = try PinRun(library, network) { !off && !Interruption.hasCome }.run { path, _, _ in
      if showsProgress { line.show("fetch \(path)") }
    }
    if showsProgress { line.clear() }
    if outcome.isElsewhere { report("library", "another program fetches pinned tracks") }
    let (pins, byteLimit) = (try PinStore(library).all(), try PinStore(library).byteLimit())
    if !off { say("\(counted(outcome.fetchedCount, "track")) fetched (\(pins.room(of: byteLimit)))") }
    for failure in outcome.failures { report(failure.path, failure.reason) }
    let view = try library.view()
    if arguments.isEmpty { list(pins.filter(\.isWanted), view, in: library.folder) }
    if Interruption.hasCome { throw ExitCode(PlayerSession.Ending.signalled.rawValue) }
    if !off, !outcome.failures.isEmpty { throw ExitCode.someFailed }
  }

  /// Prints pinned tracks by album, and the free room of the disk.
  private func list(_ pins: [PinStore.Pin], _ view: LibraryView, in folder: BytePath) {
    var names: [BytePath: String] = [:]
    for number in 0..<view.index.trackCount where !pins.isEmpty {
      let track = view.track(number)
      let name = "\(track.album.artist) - \(track.album.title)"
      for path in [track.path] + track.otherPlaces.map(\.path) where path.isOnServer { names[path] = name }
    }
    let albums = Dictionary(grouping: pins) { names[$0.path] ?? "no longer on \($0.path.server ?? "its server")" }
    for (name, pins) in albums.sorted(by: { $0.key < $1.key }) {
      let missing = pins.count { $0.byteCount == nil }
      say(
        "\(name): \(counted(pins.count, "track")), \(pins.megabytes) MB" + (missing > 0 ? ", \(missing) missing" : ""))
    }
    var disk = statvfs()
    if folder.withCString({ statvfs($0, &disk) }) == 0 {
      let free = Int64(clamping: disk.f_bavail).multipliedReportingOverflow(by: Int64(clamping: disk.f_frsize))
      if !free.overflow { say("\(free.partialValue / 1_000_000) MB free on the disk") }
    }
  }

  private func say(_ text: String) {
    var output = LineWriter()
    output.add(text.printable)
    output.flush()
  }
}

extension [PinStore.Pin] {
  /// `12 pinned, 340 of 10000 MB`
  func room(of limit: Int64) -> String {
    let wanted = filter(\.isWanted)
    return "\(wanted.count) pinned, \(wanted.megabytes) of \(limit / 1_000_000) MB"
  }

  fileprivate var megabytes: Int64 { (reduce(0) { $0 + ($1.byteCount ?? 0) } + 999_999) / 1_000_000 }
}

/// A number of bytes: `500M`, `20G`, `1T`, or millions of them without a letter.
struct ByteLimit: ExpressibleByArgument {
  let byteCount: Int64

  init?(argument: String) {
    let units: [Character: Int64] = ["M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000]
    let unit = argument.uppercased().last.flatMap { units[$0] }
    guard let number = Int64(unit == nil ? argument : String(argument.dropLast())), number >= 0 else { return nil }
    let product = number.multipliedReportingOverflow(by: unit ?? 1_000_000)
    guard !product.overflow else { return nil }
    byteCount = product.partialValue
  }
}
