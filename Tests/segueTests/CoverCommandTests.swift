import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `segue cover`, run as a process.
@Suite("segue cover", .onThreadsOfTheirOwn) struct CoverCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  @Test(arguments: ["flac-tagged.flac", "opus-tagged.opus", "libav-cover.mka", "mkv-levels.mka", "tags-old.ogg"])
  func `writes the picture of the tags to the byte`(name: String) throws {
    let result = try Program.segue("cover", "-o", path("out"), fixture(name))
    #expect(result.status == 0 && result.errors.isEmpty && result.output.isEmpty, "\(result.errors)")
    let picture = try contents(fixture("picture.png"))
    #expect(try contents(path("out")).starts(with: picture))
    #expect(try Program.segue("cover", "-o", "-", fixture(name)).output.starts(with: picture))
    #expect(try Program.segue("cover", fixture(name)).text.hasPrefix("in the tags: image/png, "))
  }

  @Test func `finds the picture in the folder, the front cover before the largest, in any case of letters`() throws {
    try write(contents(fixture("short-4410.mp3")), to: path("song.mp3"))
    let none = try Program.segue("cover", path("song.mp3"))
    #expect(none.status == 2 && none.errors.contains("no cover: there is no picture in the tags"))
    // Not a picture, whatever its name says.
    try write(Array("text".utf8), to: path("cover.jpg"))
    #expect(try Program.segue("cover", path("song.mp3")).status == 2)
    let small: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
    try write(small + [1, 2, 3], to: path("back.jpg"))
    try write(small + [1], to: path("scan.JPEG"))
    #expect(try Program.segue("cover", path("song.mp3")).text == "\(path("back.jpg")): image/jpeg, 7 bytes\n")
    try write(small, to: path("Folder.JPG"))
    #expect(try Program.segue("cover", path("song.mp3")).text == "\(path("Folder.JPG")): image/jpeg, 4 bytes\n")
    try write(Array("GIF89a".utf8) + [1, 2, 3], to: path("cover.gif"))
    #expect(try Program.segue("cover", path("song.mp3")).text == "\(path("Folder.JPG")): image/jpeg, 4 bytes\n")
    let tagged = path("tagged.flac")
    try write(contents(fixture("flac-tagged.flac")), to: tagged)
    #expect(try Program.segue("cover", tagged).text.hasPrefix("in the tags: "))
  }

  @Test func `finds the picture of an album above the folders of its discs, after their own`() throws {
    let picture: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
    try write(picture, to: path("cover.jpg"))
    for disc in ["CD1", "Disc 2", "Bonus"] {
      mkdir(path(disc), 0o755)
      try write(contents(fixture("short-4410.mp3")), to: path(disc + "/song.mp3"))
    }
    try write(picture + [1], to: path("Disc 2/front.jpg"))
    #expect(try Program.segue("cover", path("CD1/song.mp3")).text == "\(path("cover.jpg")): image/jpeg, 4 bytes\n")
    let own = "\(path("Disc 2/front.jpg")): image/jpeg, 5 bytes\n"
    #expect(try Program.segue("cover", path("Disc 2/song.mp3")).text == own)
    #expect(try Program.segue("cover", path("Bonus/song.mp3")).status == 2)
  }

  @Test(arguments: ["mp3", "flac"]) func `takes the front cover of several pictures, and an icon last`(ending: String)
    throws
  {
    func big(_ number: Int, shift: Int = 8) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (shift * (3 - $0)) & (1 << shift - 1)) }
    }
    func image(_ kind: Int) -> [UInt8] { [0xff, 0xd8, 0xff, 0xe0, UInt8(kind)] }
    for (kinds, best) in [([1, 0, 3], 3), ([2, 4], 4), ([3, 3], 3), ([1], 1)] {
      var bytes: [UInt8] = []
      if ending == "mp3" {
        let frames = kinds.flatMap { kind in
          let content = [0] + Array("image/jpeg".utf8) + [0, UInt8(kind), 0] + image(kind)
          return Array("APIC".utf8) + big(content.count) + [0, 0] + content
        }
        bytes =
          try Array("ID3".utf8) + [3, 0, 0] + big(frames.count, shift: 7) + frames
          + contents(fixture("short-4410.mp3"))
      } else {
        let blocks = kinds.flatMap { kind in
          let content =
            big(kind) + big(10) + Array("image/jpeg".utf8) + [UInt8](repeating: 0, count: 20) + big(5) + image(kind)
          return [6] + big(content.count)[1...] + content
        }
        let audio = try contents(fixture("flac-16-2-44100.flac"))
        // Behind the block of stream information, which is not the last one.
        bytes = audio[..<42] + blocks + audio[42...]
      }
      try write(bytes, to: path("several.\(ending)"))
      #expect(try Program.segue("cover", "-o", "-", path("several.\(ending)")).output == image(best), "\(kinds)")
    }
  }

  @Test func `replaces pictures by force only, and nothing else`() throws {
    let input = fixture("flac-tagged.flac")
    try write(Array("text".utf8), to: path("text"))
    let refused = try Program.segue("cover", "--force", "-o", path("text"), input)
    #expect(refused.status == 1 && refused.errors.contains("not a picture; choose another name"))
    #expect(try contents(path("text")) == Array("text".utf8))
    #expect(try Program.segue("cover", "-o", path("a.png"), input).status == 0)
    #expect(try Program.segue("cover", "-o", path("a.png"), input).errors.contains("--force replaces it"))
    #expect(try Program.segue("cover", "--force", "-o", path("a.png"), input).status == 0)
    #expect(try Program.segue("cover", "-o", path("missing/a.png"), input).status == 1)
  }

  @Test func `a track of a cue sheet has the cover of its audio file`() throws {
    mkdir(path("audio"), 0o700)
    try write(contents(fixture("flac-tagged.flac")), to: path("audio/a.flac"))
    try write(contents(fixture("short-4410.mp3")), to: path("audio/b.mp3"))
    for name in ["a.flac", "b.mp3"] {
      let sheet = "FILE \"audio/\(name)\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n"
      try write(Array(sheet.utf8), to: path("\(name).cue"))
    }
    let picture = try contents(fixture("picture.png"))
    #expect(try Program.segue("cover", "-o", "-", path("a.flac.cue#1")).output == picture)
    try write(picture, to: path("audio/cover.png"))
    #expect(try Program.segue("cover", path("b.mp3.cue#1")).text.hasPrefix(path("audio/cover.png")))
  }

  @Test func `a file with an invalid picture, or cut within one, has no cover`() throws {
    let bytes = try contents(fixture("flac-tagged.flac"))
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x89, 0x50, 0x4e, 0x47]) })
    var damaged = bytes
    for index in (start - 4)..<(start + 8) { damaged[index] = 0xff }
    try write(damaged, to: path("damaged.flac"))
    #expect(try Program.segue("cover", path("damaged.flac")).status == 2)
    try write(Array(bytes.prefix(start + 100)), to: path("cut.flac"))
    #expect(try Program.segue("cover", path("cut.flac")).status == 2)
  }

  /// Pictures as large as their tags may be, in the forms that have to be unpacked.
  @Test(arguments: [false, true]) func `the largest pictures stay below 64 MB`(isText: Bool) throws {
    func big(_ number: Int, shift: Int = 8) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (shift * (3 - $0)) & (1 << shift - 1)) }
    }
    func little(_ number: Int) -> [UInt8] { big(number).reversed() }
    let audio = try contents(fixture("flac-16-2-44100.flac"))
    var bytes: [UInt8]
    if isText {
      // "/9j/" is ff d8 ff, the beginning of a JPEG.
      let name = Array("COVERART=/9j/".utf8)
      let text = name + [UInt8](repeating: UInt8(ascii: "A"), count: 16_000_000)
      let block = little(0) + little(1) + little(text.count) + text
      // Behind the block of stream information, which comes first.
      bytes = Array(audio[..<42]) + [0x84] + big(block.count)[1...] + block
      bytes[4] = 0
      let frames = try #require(audio.indices.first { $0 > 42 && audio[$0] == 0xff && audio[$0 + 1] == 0xf8 })
      bytes += audio[frames...]
    } else {
      let picture: [UInt8] = [0xff, 0, 0xd8, 0xff, 0, 0xe0] + [UInt8](repeating: 7, count: 15_000_000)
      let frame = [0] + Array("image/jpeg".utf8) + [0, 3, 0] + picture
      let tag = Array("APIC".utf8) + big(frame.count - 2) + [0, 0] + frame
      bytes =
        try Array("ID3".utf8) + [3, 0, 0x80] + big(tag.count, shift: 7) + tag + contents(fixture("short-4410.mp3"))
    }
    try write(bytes, to: path("large"))
    // A child's peak begins with the memory of the process that starts it, so that this one must be small.
    let runner = """
      import resource, subprocess, sys
      print(subprocess.run(sys.argv[1:], capture_output=True).stdout.decode()[:26])
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    let result = try Program.run(["python3", "-c", runner, Program.path, "cover", path("large")])
    let lines = result.text.split(separator: "\n")
    #expect(lines.first == "in the tags: image/jpeg, 1", "\(result.text) \(result.errors)")
    #expect(lines.last.flatMap { Int($0) } ?? .max < 64 << 10, "\(result.text)")
  }
}
