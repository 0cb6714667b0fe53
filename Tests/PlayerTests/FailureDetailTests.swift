import AudioModel
import AudioOutput
import AudioSession
import ByteIO
import Commands
import Containers
import Library
import Playback
import Testing

struct FailureDetailTests {
  private let entry = QueueEntry(id: 1, location: .file(BytePath("/music/a.mp3")))

  @Test(arguments: [
    (
      TrackError.container(ContainerError(.invalidFile, at: 7, "a hole")),
      ["a hole", "a hole (byte offset 7)", "a hole ('dta?', byte offset 7)"]
    ),
    (
      .container(ContainerError(.unsupportedFileType, at: 0, "no audio (2 bytes)")),
      ["no audio (2 bytes)", "no audio (2 bytes)", "no audio (2 bytes) ('typ?', byte offset 0)"]
    ),
    (
      .source(ByteIOError(operation: "read", errno: 5, byteOffset: 12)),
      [
        "cannot read: Input/output error", "cannot read: Input/output error (byte offset 12)",
        "cannot read: Input/output error (byte offset 12)",
      ]
    ),
    (.output(.bufferEmpty), ["the buffer is empty", "the buffer is empty", "the buffer is empty (-66686)"]),
  ]) func `each reader of a failure gets as much of it as it needs`(error: TrackError, texts: [String]) {
    #expect([error.text(.reason), error.text(.place), error.text(.full)] == texts)
    let notice = PlaybackNotice.trackFailed(entry, error)
    #expect(
      [notice.lineText, notice.problem(.place), notice.logText] == [
        "a.mp3: " + texts[0], texts[1], "a.mp3: " + texts[2],
      ])
  }

  @Test func `the message line shows no codes`() {
    #expect(PlaybackNotice.soundUnchanged(.bufferEmpty).lineText == "the buffer is empty")
    #expect(PlaybackNotice.sessionRefused(.badParameter).lineText == "bad parameter")
    #expect(PlaybackNotice.sessionRefused(.badParameter).logText == "bad parameter (-50)")
    let output = PlaybackNotice.outputFailed(AudioOutputError(.noServer, detail: "no server", advice: "start one"))
    #expect(output.lineText == "no server: start one" && output.problem(.place) == output.logText)
  }

  @Test func `a file that cannot be added keeps its reason for the message line and its code for the log`() {
    let reason = CollectionFailure.Reason.unplayable(ContainerError(.invalidFile, at: 7, "a hole"))
    let failure = CollectionFailure(path: BytePath("a"), reason: reason)
    #expect(failure.problem(.reason) == "a hole" && failure.problem(.place) == "a hole (byte offset 7)")
    #expect(failure.description == "a: a hole ('dta?', byte offset 7)")
  }
}
