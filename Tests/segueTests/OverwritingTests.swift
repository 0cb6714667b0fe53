import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The files that `--output wav:FILE` and `decode -o FILE` may replace.
@Suite(.onThreadsOfTheirOwn) struct `Writing samples to a file` {
  private let folder: TemporaryFolder
  private let input: String
  private let bytes: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    input = folder.path + "/in.wav"
    guard try Program.segue("decode", "-o", input, fixture("short-4410.mp3")).status == 0 else {
      throw Program.Failure.missing(input)
    }
    bytes = try contents(input)
  }

  /// Both ways to write `input` to a file.
  private func write(to output: String, from source: String? = nil, _ options: String...) throws -> [Program.Result] {
    let source = source ?? input
    return [
      try Program.run([Program.path, "decode"] + options + ["-o", output, source]),
      try Program.run([Program.path, "--no-ui", "--no-config"] + options + ["--output", "wav:" + output, source]),
    ]
  }

  @Test func `never replaces an input, by any name of it, forced or not`() throws {
    #expect(symlink("in.wav", folder.path + "/symbolic.wav") == 0)
    #expect(link(input, folder.path + "/hard.wav") == 0)
    for name in ["in.wav", "symbolic.wav", "hard.wav", "../" + folder.path.dropFirst(5) + "/in.wav"] {
      let output = "\(folder.path)/\(name)"
      for result in try write(to: output) + write(to: output, from: nil, "--force") {
        #expect(result.status == 1)
        #expect(result.errors == "segue: \(output): cannot overwrite: this file is an input; choose another name\n")
      }
      #expect(try contents(input) == bytes)
    }
  }

  @Test func `never replaces the file of a cue sheet, nor a track that comes later`() throws {
    let sheet = folder.path + "/album.cue"
    let text = "FILE \"in.wav\" WAVE\n TRACK 01 AUDIO\n INDEX 01 00:00:00\n TRACK 02 AUDIO\n INDEX 01 00:00:03\n"
    try SoundServerSupport.write(text.utf8, to: sheet)
    for result in try write(to: input, from: sheet + "#2", "--force") { #expect(result.status == 1) }
    let short = fixture("short-1000.mp3")
    let later = try Program.segue("--no-ui", "--force", "--output", "wav:" + input, short, input)
    #expect(later.status == 1)
    #expect(try contents(input) == bytes)
  }

  @Test func `never replaces a file that is not WAVE, forced or not`() throws {
    let song = folder.path + "/song.wav"
    let other = Array("RIFF, said the guitar, and no WAVE followed".utf8)
    try SoundServerSupport.write(other, to: song)
    for result in try write(to: song) + write(to: song, from: nil, "--force") {
      #expect(result.status == 1)
      #expect(result.errors == "segue: \(song): cannot overwrite: not a WAVE file; choose another name\n")
    }
    #expect(try contents(song) == other)
  }

  @Test func `never replaces music with events, but earlier events`() throws {
    let short = fixture("short-1000.mp3")
    let song = folder.path + "/song.mp3"
    try SoundServerSupport.write(try contents(short), to: song)
    func play(_ events: String, _ options: String...) throws -> Program.Result {
      try Program.run([Program.path, "--no-ui", "--no-config", "--events", events] + options + [short])
    }
    for output in [song, input] {
      let old = try contents(output)
      let result = try play(output, "--output", "null", output)
      #expect(result.status == 1)
      #expect(
        result.errors == "segue: \(output): cannot overwrite: not a file of events; choose another name\n")
      #expect(try contents(output) == old)
    }
    let events = folder.path + "/events"
    for old in ["", "{\"time\":1.5,\"event\":\"old\"}\n"] {
      try SoundServerSupport.write(old.utf8, to: events)
      #expect(try play(events, "--output", "null").status == 0)
      let new = String(decoding: try contents(events), as: UTF8.self)
      #expect(new.hasPrefix("{\"time\":") && !new.contains("old"), "\(new)")
    }
    #expect(try play(folder.path + "/new", "--output", "wav:\(folder.path)/./new").status == 64)
    #expect(access(folder.path + "/new", F_OK) != 0)
  }

  @Test func `replaces an existing WAVE file when forced, through a link and with its mode`() throws {
    let old = folder.path + "/old.wav"
    let short = fixture("short-1000.mp3")
    #expect(try Program.segue("decode", "-o", old, short).status == 0)
    let new = try contents(old)
    for force in [false, true] {
      for way in 0...1 {
        try SoundServerSupport.write(bytes, to: old)
        chmod(old, 0o640)
        unlink(folder.path + "/link.wav")
        #expect(symlink("old.wav", folder.path + "/link.wav") == 0)
        let options = force ? ["--force"] : []
        let link = folder.path + "/link.wav"
        let command = way == 0 ? ["decode", "-o", link] : ["--no-ui", "--output", "wav:" + link]
        let result = try Program.run([Program.path] + command + options + [short])
        #expect(result.status == (force ? 0 : 1))
        #expect(result.errors.contains("the file exists; --force replaces it") == !force)
        #expect(try contents(old) == (force ? new : bytes))
        var status = stat()
        #expect(lstat(folder.path + "/link.wav", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(old, &status) == 0 && status.st_mode & 0o777 == 0o640)
      }
    }
    #expect(try Program.run(["ls", folder.path]).text == "in.wav\nlink.wav\nold.wav\n")
  }

  @Test func `an input that fails in its middle replaces nothing, and leaves its beginning in a new file`() throws {
    let body = try contents(fixture("vbr-60s-without-header.mp3"))
    let half = body.count / 2
    let server = try ScriptedServer { request, connection in
      let first = request.range?.first ?? 0
      guard first < half else {
        connection.sendHead("404 Not Found")
        return
      }
      connection.serve(body, request, limit: half - first)
    }
    func decode(_ output: String) throws -> Program.Result {
      let home = "SEGUE_HOME=\(folder.path)/home"
      let options = ["decode", "--no-cache", "--via", "stream", "--force", "-o", output]
      return try Program.run(["env", home, Program.path] + options + [server.address + "/a.mp3"])
    }
    let old = folder.path + "/old.wav"
    try SoundServerSupport.write(bytes, to: old)
    let result = try decode(old)
    #expect(result.status == 3, "\(result.errors)")
    #expect(
      result.errors.hasSuffix("segue: \(old): not replaced, because the input could not be read to its end\n"),
      "\(result.errors)")
    #expect(try contents(old) == bytes)
    let new = try decode(folder.path + "/new.wav")
    #expect(new.status == 3 && !new.errors.contains("not replaced"), "\(new.errors)")
    #expect(try contents(folder.path + "/new.wav").count > 1 << 16)
  }

  @Test func `leaves the old file whole when the run is killed, or has nothing to write`() throws {
    let old = folder.path + "/old.wav"
    try SoundServerSupport.write(bytes, to: old)
    // The player is killed while its new file grows: a FIFO holds it up.
    let script = """
      mkfifo $0/fifo; head -c 300000 $3 > $0/part
      { cat $0/part; sleep 60; } > $0/fifo & feeder=$!
      $1 --no-ui --force --output wav:$2 $0/fifo & player=$!
      until [ "$(stat -c %s $2.* 2> /dev/null)" -gt 44 ] 2> /dev/null; do sleep 0.05; done
      kill -KILL $player; kill $feeder; wait
      """
    _ = try Program.run(["sh", "-c", script, folder.path, Program.path, old, fixture("vbr-60s-without-header.mp3")])
    #expect(try contents(old) == bytes)
    for result in try write(to: old, from: fixture("garbage-only.mp3"), "--force") { #expect(result.status == 2) }
    #expect(try contents(old) == bytes)
  }
}
