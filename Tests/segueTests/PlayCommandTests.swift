import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `segue PATH...` without a screen, run as a process.
@Suite("segue play", .onThreadsOfTheirOwn)
struct PlayCommandTests {
  @Test("a line names a track by title and artist, and by its file where the tags know neither")
  func names() throws {
    let tagged = fixture("mp4-tags.m4a")
    let tags = try Program.segue("info", tagged).text.split(separator: "\n").reduce(into: [String: String]()) {
      tags, line in
      let words = line.split(separator: " ", maxSplits: 1)
      if words.count == 2 { tags[String(words[0])] = words[1].drop { $0 == " " }.description }
    }
    let (title, artist) = (try #require(tags["title"]), try #require(tags["artist"]))
    let lines = try Program.segue("--no-ui", "--output", "null", tagged, fixture("short-1000.mp3")).text
    #expect(lines == "now: \(title) - \(artist)\nnow: short-1000.mp3\nstopped (end of the queue)\n")
  }

  @Test func `a folder of music does not begin with a book that sorts first`() throws {
    let folder = try TemporaryFolder()
    try #require(mkdir(folder("Audiobooks"), 0o700) == 0)
    for name in ["Audiobooks/1.mp3", "song.mp3"] {
      try write(contents(of: fixture("short-1000.mp3")), to: folder(name))
    }
    func played(_ inputs: String...) throws -> [Substring] {
      try Program.run([Program.path, "--no-ui", "--output", "null"] + inputs).text.split(separator: "\n").dropLast()
    }
    #expect(try played(folder.path) == ["now: song.mp3"])
    #expect(try played(folder("Audiobooks")) == ["now: 1.mp3"], "nothing else")
    #expect(try played(folder("Audiobooks/1.mp3"), folder("song.mp3")) == ["now: 1.mp3", "now: song.mp3"], "as named")
  }

  @Test(
    "ends after one line for each of several unplayable files, in any repeat mode",
    arguments: ["off", "all", "one"])
  func repeatsNoFailures(mode: String) throws {
    let folder = try TemporaryFolder()
    let paths = ["a.mp3", "b.mp3", "c.mp3"].map { folder.path + "/" + $0 }
    for path in paths { try write("no music".utf8, to: path) }
    let result = try Program.run([Program.path, "--no-ui", "--output", "null", "--repeat", mode] + paths)
    #expect(result.status == 2)
    #expect(result.errors.split(separator: "\n").count == 3, "\(result.errors)")
  }

  @Test("writes nothing but sound, or nothing but events, to a standard output that is asked for them")
  func keepsOutputClean() throws {
    let path = fixture("short-4410.mp3")
    let sound = try Program.segue("--no-ui", "--output", "wav:-", path)
    #expect(sound.status == 0)
    #expect(identical(sound.output.suffix(4410 * 4), try Program.segue("decode", "--raw", "-o", "-", path).output))
    let events = try Program.segue("--no-ui", "--output", "null", "--events", "-", path)
    #expect(events.status == 0)
    let lines = events.text.split(separator: "\n")
    #expect(lines.count > 2 && lines.allSatisfy { $0.first == "{" && $0.last == "}" }, "\(events.text)")
    #expect(try Program.segue("--no-ui", "--output", "wav:-", "--events", "-", path).status == 64)
  }

  @Test(
    "ends when nobody reads its standard output any more, and plays on when nobody reads its events elsewhere",
    arguments: [("", 0), ("--events -", 0), ("--events fifo", 124)])
  func endsWithItsReader(option: String, status: Int32) throws {
    let folder = try TemporaryFolder()
    // It repeats forever, with several lines each time.
    let script = """
      cd "$2"; mkfifo fifo; head -1 fifo > heard & touch lines
      { timeout \(status == 0 ? 120 : 2) "$1" --no-ui --output null --repeat all \(option) "$3" "$3"
        echo $? > status; } | if [ \(status) = 0 ]; then head -1; else cat; fi > lines
      kill $! 2> /dev/null
      """
    let path = fixture("short-4410.mp3")
    let track = path.hasPrefix("/") ? path : String(cString: getcwd(nil, 0)) + "/" + path
    _ = try Program.run(["sh", "-c", script, "sh", Program.path, folder.path, track])
    #expect(String(decoding: try contents(folder.path + "/status"), as: UTF8.self) == "\(status)\n")
  }

  @Test("ends by a signal while it waits for somebody to read its events")
  func endsBeforeItBegan() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/events"
    #expect(mkfifo(pipe, 0o600) == 0)
    let command = [Program.path, "--no-ui", "--output", "null", "--events", pipe, fixture("short-4410.mp3")]
    let result = try Program.run(["timeout", "-s", "INT", "-k", "20", "0.5"] + command)
    #expect(result.status == 124)
  }

  @Test("plays on when the terminal hangs up if it was started to (nohup)", arguments: [("trap '' HUP;", 0), ("", 4)])
  func ignoresWhatItWasToldTo(preparation: String, status: Int32) throws {
    let folder = try TemporaryFolder()
    let script = """
      \(preparation) "$1" --no-ui --output null --events "$2/events" "$3" & player=$!
      until grep -qs playing "$2/events"; do sleep 0.02; done
      kill -HUP $player; wait $player
      """
    // One plays to its end, the other must not have come to it.
    let track = fixture(status == 0 ? "lame-8000-mono-v5.mp3" : "vbr-60s.mp3")
    let result = try Program.run(["sh", "-c", script, "sh", Program.path, folder.path, track])
    #expect(result.status == status, "\(result.errors)")
  }
}
