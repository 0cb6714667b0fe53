internal import ALSAOutput
internal import ArgumentParser
internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import CLibraries
internal import Commands
internal import Database
internal import Decoding
internal import Desk
internal import Encoding
internal import Library
internal import NCursesTerminal
internal import Pictures
internal import Player
internal import PulseOutput
internal import SignalProcessing
internal import Streaming

/// `segue doctor`: checks what works here, and says how to fix the rest.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check what works on this machine, and say how to fix the rest.",
    discussion: "The exit status is 0 if segue can play, else 1.")

  @Flag(help: "Print one JSON object.") var json = false

  func run() throws {
    // The terminal before anything is written to it.
    let terminal = Finding.terminal()
    let libraries =
      [PulseOutput.library, ALSAOutput.library] + AudioDecoders.libraries + [StreamFormat.mp3.library]
      + Network.libraries + Picture.libraries
      + [AudioQueue.timeStretchLibrary, PCMConverter.library, NCursesTerminal.orderingLibrary, Database.library]
      + [CharsetDetector.library, TextPattern.library]
    let folders = UserFolders()
    let findings =
      [.soundServer(), terminal] + libraries.map(Finding.library)
      + [
        .sleep(), .sandbox(), .remoteControl(in: folders), .settings(in: folders), .cache(folders.cache),
        .session(in: folders),
      ]
      + [.library(in: folders)] + Finding.servers(in: folders)
    let canPlay = !findings.contains { $0.verdict == .error }
    var output = LineWriter()
    if json {
      let object: JSON = [
        "version": .string(programVersion), "canPlay": .bool(canPlay),
        "findings": .array(findings.map(\.json)),
      ]
      output.add(object.description)
    } else {
      for finding in findings { finding.add(to: &output) }
      output.add(canPlay ? "Ready to play." : "Sound does not work: see above.")
    }
    output.flush()
    if !canPlay { throw ExitCode.cannotWork }
  }
}

extension CharsetDetector {
  fileprivate static var library: SharedLibrary {
    SharedLibrary(SEGUE_UCHARDET, address: address)
  }
}
