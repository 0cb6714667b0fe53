// record-what-plays FILE OUT.wav [--silent]: plays a file and writes what is heard to a WAVE file meanwhile.
import SegueAudio

@main struct RecordWhatPlays {
  /// Frames on their way from the device's thread to the file.
  struct Piece: Sendable {
    var bytes: [UInt8]
    var format: PCMFormat
    var firstFrame: Int64
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { return print("usage: record-what-plays FILE OUT.wav [--silent]") }
    let device: any AudioOutput =
      arguments.contains("--silent") ? SilentOutput() : PulseOutput(applicationName: "recording example")
    let (pieces, continuation) = AsyncStream.makeStream(of: Piece.self)
    // The tap runs on the device's thread: it copies, and leaves the writing to a task.
    let output = TappedOutput(device) { frames, format, first in
      continuation.yield(Piece(bytes: Array(frames), format: format, firstFrame: first))
    }
    let recording = Task {
      var writer: AudioFileWriter?
      for await piece in pieces {
        if writer == nil { writer = try AudioFileWriter(path: BytePath(arguments[2]), format: piece.format) }
        // Frames that were taken back by a seek come again with the same numbers.
        try piece.bytes.withUnsafeBytes { try writer?.write($0, atFrame: piece.firstFrame) }
      }
      try writer?.close()
      return writer?.frameCount ?? 0
    }

    let player = AudioPlayer(applicationName: "recording example", output: output)
    let notices = player.notices()
    player.play(MediaLocation(arguments[1]))
    for await notice in notices {
      if case .state(.stopped, let reason, _) = notice {
        print("played: \(reason)")
        break
      }
    }
    continuation.finish()
    print("recorded \(try await recording.value) frames")
  }
}
