internal import ArgumentParser
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Library
internal import Player
internal import SignalProcessing

/// `segue library measure [QUERY]`
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Measure the loudness of tracks without ReplayGain.",
    discussion: """
      Prints loudness, true peak and gain (EBU R128, to -18 LUFS) of each track whose file is there and has no \
      loudness tags. A track is measured once; with 'gain track' or 'gain album' the player uses the result. Music \
      files are not changed. Ctrl-C stops; run it again to continue.
      """)

  @Flag(help: "Also measure tracks that were measured already, or that failed.") var again = false
  @Flag(help: "Print one JSON object per track, each on its own line.") var json = false
  @OptionGroup var protection: ProtectionOptions
  @Argument(
    help: "A file, or words and conditions; without any, all tracks.", completion: .custom(ShellCompletion.query))
  var arguments: [String] = []

  func run() throws {
    let library = try protection.library()
    let tracks = try LibraryCommand.tracks(named: arguments, in: library.view())
    Interruption.expect()
    let failures = try measure(tracks, of: library)
    if Interruption.hasCome { throw ExitCode(PlayerSession.Ending.signalled.rawValue) }
    if failures > 0 { throw ExitCode.someFailed }
  }

  private func measure(_ tracks: [LibraryTrack], of library: MusicLibrary) throws -> Int {
    let store = LoudnessStore(library)
    var run = LoudnessRun(library) { !Interruption.hasCome }
    var (line, output, failures) = (ProgressLine(), LineWriter(), 0)
    let showsProgress = isatty(STDERR_FILENO) == 1
    for (number, track) in tracks.enumerated() where !Interruption.hasCome {
      guard let file = try store.track(track) else { continue }
      if showsProgress { line.show("measure \(number + 1) of \(tracks.count): \(track.path)") }
      let state = try run.measure(file, again: again)
      if case .unknown = state, Interruption.hasCome { break }
      if showsProgress { line.clear() }
      switch state {
      case .measured(let loudness): output.add(json ? loudness.json(of: file.path) : loudness.line(of: file.path))
      case .failed, .unknown:
        let reason = if case .failed(let reason) = state { reason } else { "cannot be opened" }
        failures += 1
        if json {
          output.add((["path": .string(file.path.description), "error": .string(reason)] as JSON).description)
        }
        report(file.path, reason)
      }
      output.flush()
    }
    if showsProgress { line.clear() }
    try run.finish()
    return failures
  }
}

extension MeasuredLoudness {
  /// Rounded to hundredths; silence has no loudness and no gain.
  fileprivate func json(of path: BytePath) -> String {
    let object: JSON = [
      "path": .string(path.description), "loudness": JSON(blocks.loudness.map(rounded)),
      "peak": JSON((peak * 1e6).rounded() / 1e6), "gain": JSON(gain.map(rounded)),
    ]
    return object.description
  }

  /// `-14.3 LUFS, peak 0.98, gain -3.7 dB: /music/song.mp3`
  fileprivate func line(of path: BytePath) -> String {
    guard let loudness = blocks.loudness, let gain else { return "silence: \(path)".printable }
    let peak = (peak * 1000).rounded() / 1000
    return "\(rounded(loudness)) LUFS, peak \(peak), gain \(rounded(gain)) dB: \(path)".printable
  }

  private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
