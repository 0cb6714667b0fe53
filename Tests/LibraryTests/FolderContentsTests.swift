import ByteIO
import Glibc
import Library
import Testing

/// The contents of folders in Files, and playlists that are written.
struct FolderContentsTests {
  @Test func `folders come first, in natural order, without hidden ones, each with its kind`() throws {
    let folder = TemporaryFolder()
    for name in ["b", "a10", "a2", ".hidden"] { folder.makeFolder(folder[name]) }
    for name in ["10.mp3", "9.MP3", "list.m3u8", "notes.txt", ".x.mp3"] { folder.write(name) }
    folder.link("gone.mp3", to: "/no/such/file")
    let contents = FolderContents(reading: folder.path, playableExtensions: ["mp3"])
    #expect(
      contents.items.dropFirst().map { "\($0.path.lastComponent) \($0.kind)" } == [
        "a2 folder", "a10 folder", "b folder", "9.MP3 playable", "10.mp3 playable", "gone.mp3 other",
        "list.m3u8 playlist", "notes.txt other",
      ])
    #expect(contents.items.first == FolderItem(path: folder.path.parent, kind: .parent))
    #expect(contents.failure == nil)
  }

  @Test func `the tracks of cue sheets are read on request, without those of missing files`() {
    let folder = TemporaryFolder()
    folder.write("album.flac")
    folder.write("notes.m3u", "album.flac\n")
    folder.write(
      "album.cue",
      """
      PERFORMER "Bach"
      TITLE "Goldberg"
      FILE "album.flac" WAVE
      TRACK 01 AUDIO
      TITLE "Aria"
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 01 00:02:00
      FILE "gone.flac" WAVE
      TRACK 03 AUDIO
      TITLE "Gone"
      INDEX 01 00:00:00

      """)
    folder.write("broken.cue", "nothing")
    var contents = FolderContents(reading: folder.path, playableExtensions: ["flac"])
    #expect(contents.sheetTracks == [])
    contents.readSheets()
    let sheet = folder["album.cue"]
    #expect(
      contents.sheetTracks == [
        .init(.track(sheet, number: 1), title: "Aria", artist: "Bach", album: "Goldberg"),
        .init(.track(sheet, number: 2), title: "album.cue#2", artist: "Bach", album: "Goldberg"),
      ])
  }

  @Test func `a folder that cannot be read has a reason, and still leads up`() {
    let contents = FolderContents(reading: BytePath("/no/such"), playableExtensions: [])
    #expect(contents.failure?.errno == ENOENT)
    #expect(contents.items.map(\.path) == [BytePath("/no")])
    #expect(FolderContents(reading: BytePath("/"), playableExtensions: []).items.first?.kind != .parent)
  }

  @Test(
    arguments: [
      ("/a/b", "/a/b"), ("/a/../b/./c//d/", "/b/c/d"), ("/../..", "/"), ("/", "/"), ("//x", "/x"),
    ]) func `a path from the root on has no detours`(path: String, absolute: String)
  {
    #expect(BytePath(path).absolute == BytePath(absolute))
    #expect(BytePath("x").absolute.description.hasSuffix("/x"))
    #expect(BytePath(".").absolute.isAbsolute)
  }

  @Test func `a written playlist gives the same entries with any names`() throws {
    let folder = TemporaryFolder()
    let names: [[UInt8]] = [
      Array("/m/plain.mp3".utf8), Array("/m/#1 hit.mp3".utf8), Array("/m/a b%20c.mp3".utf8), Array("/m/é.mp3".utf8),
      Array("/m/line\nbreak\r.mp3".utf8), Array("/m/back\\slash.mp3".utf8), Array("/m/".utf8) + [0xe9, 0xff],
      Array("/m/end ".utf8), Array("/m/\u{1b}[31m.mp3".utf8), Array("/m/http://x.mp3".utf8),
    ]
    let locations = names.map { MediaLocation.file(BytePath($0)) } + [.url("http://radio.example/a?b=c#d")]
    let bytes = PlaylistWriter.bytes(of: locations)
    let path = folder.write(BytePath("list.m3u8"), bytes)
    let collection = MediaCollector(playableExtensions: []).collect([path])
    #expect(collection.entries.map(\.location) == locations)
    #expect(bytes.starts(with: "#EXTM3U\n/m/plain.mp3\n".utf8))
    let evil = PlaylistWriter.bytes(of: [.url("http://a\n/etc/passwd")])
    #expect(evil.split(separator: UInt8(ascii: "\n")).count == 2, "an address is one entry")
  }
}
