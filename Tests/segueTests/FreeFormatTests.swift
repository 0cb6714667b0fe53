import TestTraits
import Testing

/// MP3 whose headers do not state the bit rate, compared with the output of mpg123.
@Suite("segue decode, of free format", .onThreadsOfTheirOwn)
struct FreeFormatTests {
  @Test(arguments: ["free-400.mp3", "free-123-mono.mp3", "free-200.mp3"], ["stream", "file"])
  func `gives the samples that mpg123 gives`(name: String, via: String) throws {
    let theirs = try Program.run(["mpg123", "-q", "-s", fixture(name)]).output
    let ours = try Program.segue("decode", "--via", via, "--raw", "--sample-format", "s16", "-o", "-", fixture(name))
    #expect(ours.status == 0 && ours.errors == "")
    #expect(identical(ours.output, theirs))
  }
}
