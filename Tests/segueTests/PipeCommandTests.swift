import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `segue -` and FIFOs: bytes that are read once, as they arrive.
@Suite("segue with pipes", .onThreadsOfTheirOwn)
struct PipeCommandTests {
  private let folder = try? TemporaryFolder()

  /// A shell's word on what `$SEGUE` and `$FILE` are.
  private func shell(_ script: String, _ name: String) throws -> Program.Result {
    let here = realpath(".", nil).map { String(cString: $0) } ?? ""
    let file = fixture(name).hasPrefix("/") ? fixture(name) : here + "/" + fixture(name)
    return try Program.run([
      "env", "SEGUE_HOME=\(try #require(folder).path)", "SEGUE=\(Program.path)", "FILE=\(file)", "sh", "-c",
      "cd \(try #require(folder).path) && " + script,
    ])
  }

  @Test(
    "decode, info and packets say of standard input and a FIFO what they say of the file",
    arguments: [
      "e2-44100-v2.mp3", "vbr-60s-without-header.mp3", "mp4-alac.m4a", "mp4-aac-faststart.m4a", "caf-alac.caf",
      "flac-tagged.flac", "chained-vorbis.ogg", "source-e2-44100.wav",
    ])
  func sameAsFile(name: String) throws {
    let decoded = try Program.segue("decode", "-o", "-", fixture(name))
    for command in [
      "cat $FILE | $SEGUE decode -o - -", "cat $FILE | $SEGUE decode --no-cache -o - -",
      "mkfifo f && { cat $FILE > f & } && $SEGUE decode -o - f", "$SEGUE decode -o - - < $FILE",
    ] {
      let piped = try shell(command, name)
      #expect(piped.status == 0 && piped.errors == "", "\(command): \(piped.errors)")
      let isSame = identical(piped.output, decoded.output)
      #expect(isSame, "\(command)")
    }
    for command in ["info --json", "packets --count"] {
      let piped = try shell("cat $FILE | $SEGUE \(command) -", name).text.replacing("\"path\":\"-\"", with: "")
      let words = command.split(separator: " ").map(String.init)
      let plain = try Program.run([Program.path] + words + [fixture(name)]).text
      #expect(piped == plain.replacing("\"path\":\"\(fixture(name))\"", with: ""), "\(command)")
    }
  }

  @Test("a pipe is played to its last sample, and no key is read from it")
  func plays() throws {
    let name = "gapless-1.mp3"
    let played = try shell("cat $FILE | $SEGUE --no-ui --output wav:- -", name)
    #expect(played.status == 0 && played.errors == "", "\(played.errors)")
    let sound = try Program.segue("decode", "--raw", "-o", "-", fixture(name)).output
    let isSame = identical(Array(played.output.suffix(sound.count)), sound)
    #expect(isSame)
  }

  @Test("a file that holds other data keeps it, and gets the same bytes as a pipe behind it")
  func keepsOtherData() throws {
    let (name, play) = ("gapless-1.mp3", "$SEGUE --no-ui --output wav:- $FILE < /dev/null")
    let piped = try shell("\(play) | cat", name).output
    for command in ["{ printf FOREIGN; \(play); } > f; cat f", "printf FOREIGN > g; \(play) >> g; cat g"] {
      let kept = try shell(command, name)
      let isSame = identical(kept.output, Array("FOREIGN".utf8) + piped)
      #expect(isSame, "\(command): \(kept.errors)")
    }
    // A file of its own has the sizes, which a pipe cannot have.
    let alone = try shell("\(play) > h; cat h", name).output
    #expect(alone.count == piped.count && alone.prefix(8) != piped.prefix(8))
  }

  @Test("an empty pipe is said to be one")
  func complains() throws {
    let nothing = try shell("$SEGUE decode -o - - < /dev/null", "gapless-1.mp3")
    #expect(nothing.status == 2 && nothing.errors.hasPrefix("segue: -: "), "\(nothing.errors)")
  }
}
