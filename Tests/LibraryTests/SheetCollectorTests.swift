import ByteIO
import Testing

@testable import Library

/// Cue sheets, as files, in folders and within files, become tracks.
struct SheetCollectorTests {
  private let folder = TemporaryFolder()
  private var collector = MediaCollector(playableExtensions: ["flac", "mp3", "wav"])

  private func collect(_ arguments: String...) -> (names: [String], failures: [String]) {
    let collection = collector.collect(arguments.map { $0.isEmpty ? folder.path : folder[$0] })
    let shorten = { (text: String) in text.replacing(folder.path.description + "/", with: "") }
    return (
      collection.entries.map { shorten($0.location.description) }, collection.failures.map { shorten($0.description) }
    )
  }

  /// A sheet of so many tracks in each file, a second each.
  private func sheet(_ files: (name: String, count: Int)...) -> String {
    files.map { file in
      "FILE \"\(file.name)\" WAVE\n"
        + (0..<file.count).map { "TRACK 0\($0 + 1) AUDIO\nINDEX 01 00:0\($0):00\n" }.joined()
    }.joined()
  }

  @Test(
    arguments: [
      ("Альбом.flac", [0xc0, 0xeb, 0xfc, 0xe1, 0xee, 0xec]), ("专辑一.flac", [0xd7, 0xa8, 0xbc, 0xad, 0xd2, 0xbb]),
      ("アルバム.flac", [0x83, 0x41, 0x83, 0x8b, 0x83, 0x6f, 0x83, 0x80]),
    ] as [(String, [UInt8])])
  func `a sheet in another character set divides its file, in a folder too`(name: String, bytes: [UInt8]) {
    folder.write(name)
    let lines = sheet(("*.flac", 3)).split(separator: "*", maxSplits: 1).map { Array($0.utf8) }
    folder.write(BytePath("x.cue"), lines[0] + bytes + lines[1])
    #expect(collect("").names == ["x.cue#1", "x.cue#2", "x.cue#3"])
    #expect(collect("x.cue").failures == [])
    // A file whose name has the bytes of the sheet comes first.
    folder.write(BytePath(bytes + Array(".flac".utf8)))
    #expect(collect("x.cue").names.count == 3)
  }

  @Test func `a sheet that is named gives its tracks`() {
    folder.write("a.flac")
    folder.write("a.cue", sheet(("a.flac", 3)))
    let found = collect("a.cue")
    #expect(found.names == ["a.cue#1", "a.cue#2", "a.cue#3"] && found.failures == [])
    folder.write("list.m3u", "a.cue\na.cue#2\n")
    #expect(collect("list.m3u").names == ["a.cue#1", "a.cue#2", "a.cue#3", "a.cue#2"])
    #expect(collect("a.cue#3").names == ["a.cue#3"])
    #expect(collect("b.cue#3").failures == ["b.cue: cannot open: No such file or directory"])
  }

  @Test func `in a folder the sheet wins, and no file is there twice`() {
    for name in ["album.flac", "bonus.mp3", "disc 2/two.flac"] { folder.write(name) }
    folder.write("album.cue", sheet(("album.wav", 2)))
    folder.write("album.flac.cue", sheet(("album.flac", 3)))
    folder.write("disc 2.cue", sheet(("disc 2\\two.wav", 1)))
    folder.write("left-over.cue", sheet(("gone.wav", 2)))
    let found = collect("")
    #expect(found.names == ["album.cue#1", "album.cue#2", "bonus.mp3", "disc 2.cue#1"])
    #expect(found.failures == [])
  }

  @Test func `files that are not there are said, and the tracks of others taken`() {
    folder.write("b.flac")
    folder.write("x.cue", sheet(("a.wav", 2), ("b.wav", 2)))
    let found = collect("x.cue")
    #expect(found.names == ["x.cue#3", "x.cue#4"])
    #expect(found.failures == ["x.cue: the file a.wav of this cue sheet is not there"])
    folder.write("empty.cue", "REM nothing\n")
    #expect(collect("empty.cue").failures == ["empty.cue: holds nothing that can be played"])
    // A sheet is not its own music.
    folder.write("self.cue", sheet(("self.cue", 2)))
    #expect(collect("self.cue").names == [])
  }

  @Test func `a file called like a track is that file`() {
    folder.write("take.mp3")
    folder.write("take.mp3#2")
    #expect(MediaLocation(written: Array("take.mp3#2".utf8), in: folder.path) == .file(folder["take.mp3#2"]))
    #expect(MediaLocation(written: Array("take.mp3#3".utf8), in: folder.path) == .track(folder["take.mp3"], number: 3))
    for name in ["take#x.mp3", "take #3", "take.mp3#", "take.mp3#99999", "#3"] {
      #expect(MediaLocation(written: Array(name.utf8), in: folder.path) == .file(folder[name]))
    }
  }

  @Test(arguments: ["a.cue", "a b#7.cue", "f\\x.cue", "ü\n.flac", "x.cue ", "y#1.cue#2.cue"])
  func `a track comes back from a playlist that was written`(name: String) {
    let paths = [folder[name], folder[BytePath([0xfc] + Array(".cue".utf8))]]
    let locations = paths.flatMap { path in [1, 12, 999].map { MediaLocation.track(path, number: $0) } }
    let list = folder.write(BytePath("list.m3u8"), PlaylistWriter.bytes(of: locations))
    #expect(MediaCollector(playableExtensions: []).collect([list]).entries.map(\.location) == locations)
  }

  @Test func `a sheet within a file is found in a file that is named, and in folders in large ones`() throws {
    let file = folder.write(BytePath("a.mp3"), Self.mp3(comment: sheet(("x", 3))))
    #expect(collect("a.mp3").names == ["a.mp3#1", "a.mp3#2", "a.mp3#3"])
    #expect(collect("").names == ["a.mp3"])
    var eager = collector
    eager.limits.embeddedSheetByteCount = 0
    #expect(eager.collect([folder.path]).entries.map(\.location) == (1...3).map { .track(file, number: $0) })
    var contents = FolderContents(reading: folder.path, playableExtensions: ["mp3"])
    contents.readSheets()
    #expect(contents.sheetTracks == [])
    contents.readSheets(withinFilesOf: 0)
    #expect(contents.sheetTracks.map(\.location) == (1...3).map { .track(file, number: $0) })
    folder.write(BytePath("a.mp3"), Self.mp3(comment: sheet(("x", 1))))
    #expect(collect("a.mp3").names == ["a.mp3"])
  }

  /// Silence of MPEG-1 layer 3 (128 kbit/s, 44.1 kHz) behind an ID3v2.4 tag with a sheet.
  private static func mp3(comment: String) -> [UInt8] {
    let text = [3] + Array("CUESHEET\0\(comment)".utf8)
    func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7f) } }
    let field = Array("TXXX".utf8) + size(text.count) + [0, 0] + text
    let frame = [0xff, 0xfb, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
    return Array("ID3".utf8) + [4, 0, 0] + size(field.count) + field + (0..<20).flatMap { _ in frame }
  }
}
