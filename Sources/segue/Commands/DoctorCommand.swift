internal import ArgumentParser
internal import AudioOutput
internal import Decoding
internal import NCursesTerminal
internal import PulseOutput
internal import Streaming

/// `segue doctor`: what works here, and what mends the rest.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Say what works on this machine, and what mends the rest.",
    discussion: "Ends with 0 if music can be heard, else with 1.")

  @Flag(help: "One JSON object.") var json = false

  func run() throws {
    // The terminal before anything is written to it.
    let terminal = Finding.terminal()
    let libraries =
      [PulseOutput.library] + AudioDecoders.libraries
      + [Network.library, AudioQueue.timeStretchLibrary, NCursesTerminal.orderingLibrary]
    let folders = UserFolders()
    let findings =
      [.soundServer(), terminal] + libraries.map(Finding.library)
      + [.sleep(), .sandbox(), .settings(in: folders), .cache(), .session(in: folders)]
    let canPlay = !findings.contains { $0.verdict == .error }
    var output = LineWriter()
    if json {
      let object: JSON = [
        "version": .string(Segue.configuration.version), "canPlay": .bool(canPlay),
        "findings": .array(findings.map(\.json)),
      ]
      output.add(object.description)
    } else {
      for finding in findings { finding.add(to: &output) }
      output.add(canPlay ? "Music can be heard." : "Nothing can be heard: see above.")
    }
    output.flush()
    if !canPlay { throw ExitCode.cannotWork }
  }
}
