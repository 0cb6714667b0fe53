import ByteIO
import Glibc
import Testing

@testable import Library

struct MediaCollectorTests {
  private let folder = TemporaryFolder()
  private let collector = MediaCollector(playableExtensions: ["mp3", "mp2"])

  /// The collected entries, as paths below the temporary folder.
  private func names(_ collection: MediaCollection) -> [String] {
    collection.entries.map { entry in
      let text = entry.location.description
      let prefix = folder.path.description + "/"
      return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
  }

  private func names(_ arguments: BytePath...) -> [String] { names(collector.collect(arguments)) }

  // MARK: Arguments

  @Test func `arguments keep their order, and a file argument is accepted with any name`() {
    for name in ["b.mp3", "a.mp3", "track", "noise.bin"] { folder.write(name) }
    let arguments = ["b.mp3", "track", "noise.bin", "a.mp3", "b.mp3"]
    #expect(names(collector.collect(arguments.map { folder[$0] })) == arguments)
  }

  @Test func `missing and unreadable files are failures with their paths, and the rest is collected`() {
    folder.write("a.mp3")
    let collection = collector.collect([folder["no.mp3"], folder["a.mp3"], folder["a.mp3/x"], BytePath("")])
    #expect(names(collection) == ["a.mp3"])
    #expect(collection.failures.map(\.path) == [folder["no.mp3"], folder["a.mp3/x"], BytePath("")])
    #expect(collection.failures.first?.description == "\(folder["no.mp3"]): cannot open: No such file or directory")
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything")) func `a file without permission is a failure`() {
    _ = folder.write("a.mp3").withCString { chmod($0, 0) }
    #expect(collector.collect([folder["a.mp3"]]).failures.first?.reason.description.contains("Permission") == true)
  }

  @Test func `addresses are passed on as they are`() {
    let addresses = ["http://host/a%20b.mp3", "https://host/x.m3u?y#z", "ICY://host:8000/", "mms://h"]
    #expect(names(collector.collect(addresses.map { BytePath($0) })) == addresses)
  }

  @Test func `file addresses become paths, with their escapes decoded`() {
    folder.write("a b%.mp3")
    #expect(names(BytePath("file://\(folder["a%20b%25.mp3"])")) == ["a b%.mp3"])
    #expect(names(BytePath("FILE://localhost\(folder["a b%.mp3"])")) == ["a b%.mp3"])
  }

  @Test func `a list may escape its names, and put blanks before an address`() {
    folder.write("a b.mp3")
    folder.write("c%20d.mp3")
    folder.write("c d.mp3")
    let tracks = ["a%20b.mp3", "c%20d.mp3"].map { "<track><location>\($0)</location></track>" }
    let xml = "<playlist>\(tracks.joined())</playlist>"
    #expect(names(folder.write("l.xspf", xml)) == ["a b.mp3", "c%20d.mp3"], "a name that is there is meant")
    #expect(names(folder.write("l.m3u", " http://h/a \n a%20b.mp3\n")) == ["http://h/a ", "a b.mp3"])
  }

  // MARK: Folders

  @Test func `folders are read to the bottom in natural order, hidden and foreign files left out`() {
    for name in [
      "10 last.mp3", "2 second.MP3", "1/b.mp3", "1/a.mp3", "1/10/x.mp3", "1/9/x.mp3", ".hidden.mp3", ".git/x.mp3",
      "cover.jpg", "list.m3u", "mp3", ".mp3", "noise.mp3.part",
    ] {
      folder.write(name, "x.mp3")
    }
    #expect(names(folder.path) == ["1/9/x.mp3", "1/10/x.mp3", "1/a.mp3", "1/b.mp3", "2 second.MP3", "10 last.mp3"])
  }

  @Test func `names that are not UTF-8 are found and kept byte for byte`() {
    let name = BytePath([0x66, 0xfc, 0x72, 0xff, 0x2e, 0x6d, 0x70, 0x33])
    folder.write(name)
    #expect(collector.collect([folder.path]).entries.map(\.location) == [.file(folder[name])])
  }

  @Test func `links are followed, links in a circle and to nowhere survived`() {
    folder.write("music/a.mp3")
    folder.link("music/self", to: ".")
    folder.link("music/up", to: "..")
    folder.link("music/nowhere.mp3", to: "missing")
    folder.link("music/b.mp3", to: "a.mp3")
    folder.link("music/self.mp3", to: "self.mp3")
    folder.link("linked", to: "music")
    #expect(names(folder["music"]) == ["music/a.mp3", "music/b.mp3"])
    #expect(names(folder["linked"]) == ["linked/a.mp3", "linked/b.mp3"])
    #expect(names(folder.path).count == 2, "a folder is read once, whatever leads to it")
    #expect(names(folder["music"], folder["music"]).count == 4, "unless it is asked for twice")
  }

  @Test func `only files are taken from folders`() {
    _ = folder["pipe.mp3"].withCString { mkfifo($0, 0o644) }
    folder.write("folder.mp3/a.mp3")
    #expect(names(folder.path) == ["folder.mp3/a.mp3"])
  }

  @Test func `a folder without music is reported`() {
    folder.write("empty/deeper/cover.jpg")
    let collection = collector.collect([folder["empty"]])
    #expect(collection.entries.isEmpty)
    #expect(collection.failures == [CollectionFailure(path: folder["empty"], reason: .nothingPlayable)])
    #expect(collection.failures.first?.description == "\(folder["empty"]): holds nothing that can be played")
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a folder that may not be read is a failure, its neighbours are read`() {
    folder.write("a/x.mp3")
    folder.write("b/x.mp3")
    _ = folder["a"].withCString { chmod($0, 0) }
    let collection = collector.collect([folder.path])
    #expect(names(collection) == ["b/x.mp3"])
    #expect(collection.failures.map(\.path) == [folder["a"]])
    _ = folder["a"].withCString { chmod($0, 0o755) }
  }

  @Test func `a folder deeper than any path can name is a failure, not a crash`() {
    // 4,096 bytes is the longest path: go there step by step.
    let home = open(".", O_RDONLY | O_DIRECTORY)
    var current = folder.path.withCString { open($0, O_RDONLY | O_DIRECTORY) }
    let name = String(repeating: "d", count: 200)
    for _ in 0..<25 {
      mkdirat(current, name, 0o755)
      let next = openat(current, name, O_RDONLY | O_DIRECTORY)
      close(current)
      current = next
    }
    close(current)
    close(home)
    let collection = collector.collect([folder.path])
    #expect(collection.entries.isEmpty && collection.failures.count == 1)
    // Undo it the same way: no path leads there.
    var descriptors = [folder.path.withCString { open($0, O_RDONLY | O_DIRECTORY) }]
    for level in 0..<24 { descriptors.append(openat(descriptors[level], name, O_RDONLY | O_DIRECTORY)) }
    for descriptor in descriptors.reversed() {
      unlinkat(descriptor, name, AT_REMOVEDIR)
      close(descriptor)
    }
  }

  // MARK: Playlists

  @Test func `an M3U playlist keeps its order, and the titles and seconds of addresses`() {
    folder.write(
      "sub/list.m3u",
      "#EXTM3U\r\n#EXTINF:12,T\r\nb.mp3\r\n\r\n# note\r\n../a.mp3\r\n/x/y.mp3\r\n#EXTINF:123,Radio\r\nhttp://host/")
    let collection = collector.collect([folder["sub/list.m3u"]])
    #expect(
      collection.entries == [
        CollectedEntry(location: .file(folder["sub/b.mp3"])),
        CollectedEntry(location: .file(folder["sub/../a.mp3"])),
        CollectedEntry(location: .file(BytePath("/x/y.mp3"))),
        CollectedEntry(location: .url("http://host/"), title: "Radio", seconds: 123),
      ])
    let place = folder["sub/b.mp3"]
    #expect(collection.failures.map(\.reason) == [.filesMissing(count: 3, first: place)], "they stay in the list")
  }

  @Test func `a playlist may name addresses, file addresses and playlists; folders in it are not read`() {
    folder.write("a b.mp3")
    folder.write("album/2.mp3")
    folder.write("inner.pls", "[playlist]\nFile1=album/2.mp3\n")
    folder.write("list.m3u8", "http://host/live\nfile://\(folder["a%20b.mp3"])\nalbum\ninner.pls\nno-such-thing\n")
    #expect(
      names(folder["list.m3u8"])
        == ["http://host/live", "a b.mp3", "album", "album/2.mp3", "no-such-thing"])
  }

  @Test func `a playlist in the working folder is read by its bare name`() {
    #expect(names(BytePath("no-such-list.m3u")) == [])
    let list = folder.write("list.m3u", "a.mp3")
    #expect(collector.collect([list]).entries.map(\.location) == [.file(list.parent.appending(BytePath("a.mp3")))])
  }

  @Test func `a path in Latin-1, or with backslashes, finds the file that must be meant`() {
    folder.write("für/1.mp3")
    folder.write(
      BytePath("list.m3u"), [0x66, 0xfc, 0x72, 0x2f, 0x31, 0x2e, 0x6d, 0x70, 0x33, 0x0a] + "für\\1.mp3".utf8)
    #expect(names(folder["list.m3u"]) == ["für/1.mp3", "für/1.mp3"])
    // A file of exactly that name comes first.
    folder.write("für\\1.mp3")
    folder.write(BytePath([0x66, 0xfc, 0x72, 0x2f, 0x31, 0x2e, 0x6d, 0x70, 0x33]))
    #expect(names(folder["list.m3u"]) == ["f\u{fffd}r/1.mp3", "für\\1.mp3"])
  }

  // The entry of a list, and the file that is there.
  @Test(
    arguments: [
      ("SONG.MP3", "song.mp3"), ("album/Song.Mp3", "Album/song.MP3"), ("ÉTUDE.mp3", "étude.mp3"),
      ("No\u{eb}l.mp3", "Noe\u{308}l.mp3"), ("Fu\u{308}r.mp3", "F\u{fc}r.mp3"), ("  song.mp3", "song.mp3"),
      ("\"song.mp3\"", "song.mp3"), (" 'a b.mp3' ", "a b.mp3"), ("Album\\Song.mp3", "album/song.mp3"),
      ("C:\\Music\\Song.mp3", "song.mp3"), ("/nowhere/at all/song.mp3", "song.mp3"), ("song.flac", "song.mp3"),
      ("file:///nowhere/Song%20one.mp3", "song one.mp3"), ("sheet.CUE#1", "sheet.cue"),
    ])
  func `a list finds the file that must be meant`(entry: String, file: String) throws {
    folder.write(file)
    let written = try wholeFile(folder.write("list.m3u8", entry + "\n"), byteLimit: 1000)
    let collection = collector.collect([folder["list.m3u8"]])
    // Not as strings, which are equal however letters are composed.
    #expect(names(collection).map { Array($0.utf8) } == [Array((file + (entry.hasSuffix("#1") ? "#1" : "")).utf8)])
    #expect(collection.failures == [])
    let units = Array(String(decoding: written, as: UTF8.self).utf16)
    folder.write(BytePath("list.m3u"), [0xff, 0xfe] + units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
    #expect(names(collector.collect([folder["list.m3u"]])) == names(collection), "in UTF-16")
  }

  @Test func `an exact name is meant, also beside others that are alike`() {
    for name in ["song.mp3", "Song.mp3", "SONG.mp3"] { folder.write(name) }
    #expect(names(folder.write("list.m3u", "Song.mp3\nsong.mp3\nsONG.mp3\n")) == ["Song.mp3", "song.mp3", "SONG.mp3"])
  }

  @Test func `a name of thousands of folders is looked for as any other`() {
    let deep = folder.write("deep.m3u", String(repeating: "a/", count: 32_000) + "none.mp3\n")
    #expect(collector.collect([deep]).failures.count == 1)
  }

  @Test func `files that are not there are said once, and stay in the list`() {
    for number in 0..<100 where number % 2 == 0 { folder.write("\(number).mp3") }
    let list = folder.write("list.m3u", (0..<100).map { "\($0).mp3\n" }.joined())
    let collection = collector.collect([list])
    #expect(names(collection) == (0..<100).map { "\($0).mp3" })
    let place = folder["1.mp3"]
    #expect(collection.failures.map(\.description) == ["\(list): 50 of its files are not there, the first is \(place)"])
  }

  @Test(
    arguments: [
      ("Альбом/Песня.mp3", [0xc0, 0xeb, 0xfc, 0xe1, 0xee, 0xec, 0x2f, 0xcf, 0xe5, 0xf1, 0xed, 0xff]),
      ("专辑.mp3", [0xd7, 0xa8, 0xbc, 0xad]), ("アルバム.mp3", [0x83, 0x41, 0x83, 0x8b, 0x83, 0x6f, 0x83, 0x80]),
    ] as [(String, [UInt8])])
  func `a playlist in the character set of another system finds its files`(name: String, bytes: [UInt8]) {
    folder.write(name)
    folder.write(BytePath("list.m3u"), bytes + Array(".mp3\n".utf8))
    folder.write(BytePath("list.pls"), Array("[playlist]\nFile1=".utf8) + bytes + Array(".mp3\n".utf8))
    #expect(names(folder["list.m3u"]) == [name] && names(folder["list.pls"]) == [name])
  }

  @Test func `blanks at the end of a path are not part of it, unless a file has that name`() {
    folder.write("a.mp3")
    folder.write("b c.mp3")
    folder.write("list.m3u", "a.mp3 \nb%20c.mp3\t \nnone.mp3 \n")
    #expect(names(folder["list.m3u"]) == ["a.mp3", "b c.mp3", "none.mp3 "])
    folder.write("a.mp3 ")
    #expect(names(folder["list.m3u"]) == ["a.mp3 ", "b c.mp3", "none.mp3 "])
  }

  @Test func `a playlist that contains itself is read once`() {
    for number in 1...3 { folder.write("\(number).mp3") }
    folder.write("a.m3u", "1.mp3\nb.m3u\n2.mp3")
    folder.write("b.m3u", "a.m3u\n3.mp3\n./b.m3u")
    let collection = collector.collect([folder["a.m3u"]])
    #expect(names(collection) == ["1.mp3", "3.mp3", "2.mp3"])
    #expect(collection.failures.map(\.reason) == [.playlistInItself, .playlistInItself])
  }

  @Test func `playlists that name each other endlessly stop at the limit, with one message`() {
    for level in 0..<12 {
      folder.write("\(level).mp3")
      folder.write("\(level).m3u", "\(level).mp3\n" + String(repeating: "\(level + 1).m3u\n", count: 50))
    }
    let collection = collector.collect([folder["0.m3u"]])
    #expect(names(collection) == (0..<8).map { "\($0).mp3" })
    #expect(collection.failures == [CollectionFailure(path: folder["8.m3u"], reason: .limitExceeded)])
  }

  @Test func `entries beyond the limit are left out, with one message`() {
    folder.write("a.mp3")
    folder.write("list.m3u", String(repeating: "a.mp3\n", count: 20))
    var collector = collector
    collector.limits.entryCount = 7
    let collection = collector.collect([folder["list.m3u"], folder["list.m3u"]])
    #expect(collection.entries.count == 7)
    #expect(collection.failures == [CollectionFailure(path: folder["list.m3u"], reason: .limitExceeded)])
  }

  @Test(arguments: ["", "#EXTM3U\n#EXTINF:1,Title\n", "\n\r\n  \n"])
  func `a playlist without entries is reported`(text: String) {
    folder.write("list.m3u", text)
    let collection = collector.collect([folder["list.m3u"]])
    #expect(collection.failures == [CollectionFailure(path: folder["list.m3u"], reason: .nothingPlayable)])
  }

  @Test func `lines are found however they lie in the blocks that are read`() {
    // 64 KiB is read at a time: lines of many lengths across its borders, and one that is longer.
    let lines = (0..<3_000).map { String(repeating: "x", count: $0 * 7 % 101) + "\($0).mp3" }
    folder.write("list.m3u", lines.joined(separator: "\n"))
    #expect(names(folder["list.m3u"]) == lines)
    let long = String(repeating: "y", count: 150_000)
    folder.write("list.m3u", "1.mp3\n\(long)\n2.mp3\r\r\n3.mp3\n\(long)")
    #expect(names(folder["list.m3u"]) == ["1.mp3", "2.mp3", "3.mp3"])
  }

  @Test func `any bytes are a playlist of something, never a crash`() {
    var generator = SystemRandomNumberGenerator()
    for round in 0..<300 {
      let alphabet: [UInt8] = Array("#EXTINF:[playlist]\nFile1=%//.\r,\"-9\\".utf8) + [0, 0xff, 0xef, 0xbb, 0xbf]
      let bytes = (0..<400).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let list = folder.write(BytePath(round % 2 == 0 ? "x.m3u" : "x.pls"), bytes)
      _ = collector.collect([list])
    }
  }
}
