import Testing

@testable import Library

/// Addresses that are kept, and those heard lately.
struct StreamListTests {
  private func addresses(_ streams: [StreamList.Stream]) -> [String] { streams.map(\.address) }

  @Test func `a written list reads back the same with any titles`() {
    var list = StreamList()
    list.apply(.keep(.init("http://a/1", title: "A, \"b\" #c\nhttp://evil/\r\nx")))
    list.apply(.keep(.init("https://b/2?x=1,2")))
    list.apply(.heard(.init("http://c/3", title: "Süß")))
    let read = StreamList(kept: StreamList.bytes(of: list.kept), recent: StreamList.bytes(of: list.recent))
    #expect(addresses(read.kept) == ["http://a/1", "https://b/2?x=1,2"])
    #expect(read.kept[0].title == "A, \"b\" #c http://evil/ x" && read.kept[1].title == nil)
    #expect(read.recent == list.recent)
  }

  @Test func `a list that people wrote is read: no header, comments, Windows' ends of lines, files, doubles`() {
    let text = "# mine\r\nhttp://a/1\r\n\r\n#EXTINF:-1,Two\r\nhttp://b/2\r\nmusic.mp3\r\nhttp://a/1\r\n"
    let list = StreamList(kept: Array(text.utf8), recent: [])
    #expect(list.kept == [.init("http://a/1"), .init("http://b/2", title: "Two")])
  }

  @Test func `comments, attributes, files and ends of lines stay when a list is written anew`() {
    let text =
      "#EXTM3U\r\n# Jazz\r\nhttp://a/1\r\n\r\n#EXTINF:-1 logo=\"x,y\",Two\r\n#EXTGRP:News\r\nhttp://b/2\r\n"
      + "#EXTINF:3,Song\nmusic.mp3\nhttp://a/1\n# Talk\n#EXTINF:-1,Three\nhttp://c/3\n# The end"
    let document = Array(text.utf8)
    var list = StreamList(kept: document, recent: [])
    func written() -> String { String(decoding: StreamList.bytes(of: list.kept, keeping: document), as: UTF8.self) }
    let single = text.replacing("music.mp3\nhttp://a/1\n", with: "music.mp3\n")
    #expect(written() == single)
    list.apply(.heard(.init("http://a/1", title: "One")))
    let named = single.replacing("http://a/1\r\n", with: "#EXTINF:-1,One\nhttp://a/1\r\n")
    #expect(written() == named)
    list.apply(.rename("http://b/2", to: "2"))
    list.apply(.keep(.init("http://d/4")))
    let renamed = named.replacing(",Two\r\n", with: ",2\r\n").replacing("# The end", with: "http://d/4\n# The end")
    #expect(written() == renamed)
    list.apply(.remove("http://b/2"))
    list.apply(.remove("http://c/3"))
    let rest =
      renamed.replacing("#EXTINF:-1 logo=\"x,y\",2\r\n#EXTGRP:News\r\nhttp://b/2\r\n", with: "")
      .replacing("#EXTINF:-1,Three\nhttp://c/3\n", with: "")
    #expect(written() == rest)
    #expect(StreamList(kept: Array(rest.utf8), recent: []).kept == list.kept)
  }

  @Test func `streams that return take their places between those of the file`() {
    let document = Array("http://a/\n# b\nhttp://b/".utf8)
    var list = StreamList(kept: document, recent: [])
    list.apply(.restore([.init(.init("http://x/", title: "X"), index: 0, isKept: true)]))
    list.apply(.keep(.init("http://y/")))
    let text = String(decoding: StreamList.bytes(of: list.kept, keeping: document), as: UTF8.self)
    #expect(text == "#EXTINF:-1,X\nhttp://x/\nhttp://a/\n# b\nhttp://b/\nhttp://y/\n")
  }

  @Test func `the last heard stands first, once, and there is an end to it`() {
    var list = StreamList()
    for number in 0..<60 { list.apply(.heard(.init("http://h/\(number)"))) }
    list.apply(.heard(.init("http://h/30", title: "Thirty")))
    #expect(list.recent.count == StreamList.recentLimit)
    #expect(list.recent.prefix(2) == [.init("http://h/30", title: "Thirty"), .init("http://h/59")])
    #expect(addresses(list.recent).filter { $0 == "http://h/30" }.count == 1)
  }

  @Test func `a saved stream is not among the recent ones, and keeps its given name`() {
    var list = StreamList()
    list.apply(.heard(.init("http://a/1", title: "Station")))
    list.apply(.keep(.init("http://a/1")))
    #expect(list.kept == [.init("http://a/1", title: "Station")] && list.recent.isEmpty)
    list.apply(.rename("http://a/1", to: "Mine"))
    list.apply(.heard(.init("http://a/1", title: "Station 2")))
    #expect(list.kept == [.init("http://a/1", title: "Mine")] && list.recent.isEmpty)
    list.apply(.remove("http://a/1"))
    #expect(list.kept.isEmpty)
  }

  @Test func `removed streams return to their places, unless they are there again`() {
    var list = StreamList()
    for name in "abcd" { list.apply(.keep(.init("http://\(name)/", title: "\(name)"))) }
    for name in "xyz" { list.apply(.heard(.init("http://\(name)/"))) }
    let before = list
    let rows = [0, 2, 3].map { StreamEdit.Removed(before.kept[$0], index: $0, isKept: true) }
    let others = [0, 2].map { StreamEdit.Removed(before.recent[$0], index: $0, isKept: false) }
    for row in rows + others { list.apply(.remove(row.stream.address)) }
    #expect(list.kept.count == 1 && list.recent.count == 1)
    var same = list
    same.apply(.restore(rows + others))
    #expect(same == before)
    list.apply(.keep(.init("http://c/", title: "mine")))
    list.apply(.restore(rows + [StreamEdit.Removed(.init("http://new/"), index: 99, isKept: true)]))
    #expect(list.kept.map(\.title) == ["a", "b", "mine", "d", nil])
  }

  @Test func `a password is not noted by itself`() {
    var list = StreamList()
    list.apply(.heard(.init("http://me:secret@h/1", title: "x")))
    #expect(list.recent.isEmpty)
    list.apply(.keep(.init("http://me:secret@h/1")))
    #expect(addresses(list.kept) == ["http://h/1"])
    let byHand = Array("#EXTM3U\nhttp://me:secret@h/2\n".utf8)
    #expect(StreamList.bytes(of: StreamList(kept: byHand, recent: []).kept) == byHand, "what was written by hand stays")
  }
}
