import Testing

@testable import Library

struct PlaylistReaderTests {
  private func read(_ text: some Sequence<UInt8>, _ format: PlaylistFormat) -> [PlaylistReader.Item] {
    var reader = PlaylistReader(format: format)
    let items = Array(text).split(separator: UInt8(ascii: "\n")).compactMap { reader.read($0) }
    return items + reader.finish()
  }

  private func read(_ text: String, _ format: PlaylistFormat) -> [PlaylistReader.Item] {
    read(text.utf8, format)
  }

  private func item(_ target: String, _ title: String? = nil, _ seconds: Double? = nil) -> PlaylistReader.Item {
    PlaylistReader.Item(target: Array(target.utf8), title: title, seconds: seconds)
  }

  @Test(
    arguments: [
      ("#EXTINF:12,A - B", "A - B", 12), ("#EXTINF:12.9,T", "T", 12), ("#EXTINF:-1,Radio", "Radio", nil),
      ("#EXTINF:0,T", "T", nil), ("#extinf:7, T", "T", 7), ("#EXTINF:12", nil, 12), ("#EXTINF:,T", "T", nil),
      ("#EXTINF:5,", nil, 5), ("#EXTINF:nan,T", "T", nil), ("#EXTINF:99999999999999999999999,T", "T", nil),
      ("#EXTINF:-1 logo=\"a,b\" group=\"c\",Name, and more", "Name, and more", nil), ("#EXTINF", nil, nil),
      ("# EXTINF:12,T", nil, nil), ("#EXTINF:1,日本", "日本", 1),
    ] as [(String, String?, Double?)])
  func `EXTINF describes the address that follows`(line: String, title: String?, seconds: Double?) {
    #expect(
      read("#EXTM3U\n\(line)\nhttp://a\nhttp://b", .m3u) == [item("http://a", title, seconds), item("http://b")])
    #expect(read("\(line)\na.mp3", .m3u) == [item("a.mp3")], "files tell that themselves")
  }

  @Test func `a title that is not UTF-8 is Latin-1`() {
    let bytes = Array("#EXTINF:1,".utf8) + [0x46, 0xfc, 0x72] + Array("\nhttp://a".utf8)
    #expect(read(bytes, .m3u) == [item("http://a", "Für", 1)])
  }

  @Test func `a byte order mark is not part of the first entry`() {
    #expect(read("\u{feff}a.mp3\n\u{feff}b.mp3", .m3u) == [item("a.mp3"), item("\u{feff}b.mp3")])
    #expect(read("\u{feff}[playlist]\nFile1=a.mp3", .pls) == [item("a.mp3")])
  }

  @Test func `names keep their spaces and signs`() {
    #expect(read(" a b .mp3\na#b.mp3\n%20.mp3", .m3u) == [item(" a b .mp3"), item("a#b.mp3"), item("%20.mp3")])
  }

  @Test func `PLS entries are ordered by number, their parts come in any order and case`() {
    let text = """
      NumberOfEntries=1
      [Playlist]
      Title10=Ten
      File10=ten.mp3
      LENGTH2=-1
      file2=http://host/a=b
      Length10=10
      Title3=no file
      File=none.mp3
      Filex=none.mp3
      File99999999999999999999=none.mp3
      File4=
      nonsense
      Version=2
      [other]
      File1=other.mp3
      """
    #expect(read(text, .pls) == [item("http://host/a=b"), item("ten.mp3", "Ten", 10)])
  }

  @Test func `PLS with blanks around values`() {
    let text = " [playlist] \nFile2 = http://b/\n\tTitle2 = B\nFile1= a b.mp3\nLength2 = 9"
    #expect(read(text, .pls) == [item("a b.mp3"), item("http://b/", "B", 9)])
  }

  @Test func `PLS without a section is read as well`() {
    #expect(read("File1=a.mp3", .pls) == [item("a.mp3")])
  }
}

struct NaturalOrderTests {
  @Test func `names are in the order in which people count`() {
    let names = [
      "01", "1", "2", "2a", "2b", "10", "a", "A2", "a2b", "a010", "a10", "B", "track 9", "track 10", "track 10b", "é",
    ]
    for (i, first) in names.enumerated() {
      for (j, second) in names.enumerated() {
        #expect(precedesNaturally(Array(first.utf8), Array(second.utf8)) == (i < j), "\(first), \(second)")
      }
    }
  }

  @Test func `the order is strict: of two different names exactly one comes first`() {
    let names = [
      "", "0", "00", "a", "A", "a0", "a00", "a0b", "a00a", "1", "01", "\u{1}", "1a", "1A", "99999999999999999999",
    ]
    for first in names {
      for second in names {
        let forth = precedesNaturally(Array(first.utf8), Array(second.utf8))
        let back = precedesNaturally(Array(second.utf8), Array(first.utf8))
        #expect(forth != back || first == second, "\(first), \(second)")
        #expect(!(forth && back))
      }
    }
  }
}
