import ByteIO
import Testing

@testable import Library

/// Playlists by what they hold, XML and its kin, and lists that come from a network.
struct PlaylistFormatTests {
  private func items(_ text: String, _ format: PlaylistFormat? = nil) -> [PlaylistReader.Item] {
    let bytes = Array(text.utf8)
    return (format ?? PlaylistFormat(content: bytes)).map { PlaylistReader.items(in: bytes, format: $0) } ?? []
  }

  private func item(_ target: String, _ title: String? = nil, _ seconds: Double? = nil) -> PlaylistReader.Item {
    PlaylistReader.Item(target: Array(target.utf8), title: title, seconds: seconds)
  }

  @Test(
    arguments: [
      ("#EXTM3U\na", .m3u), ("\u{feff}#extm3u", .m3u), ("http://a/b\n", .m3u), ("rtsp://a/b", .m3u),
      ("[playlist]\n", .pls), (" \r\n[PlayList]", .pls), ("[Reference]\nRef1=http://a", .pls),
      ("<?xml version=\"1.0\"?>\n<playlist version=\"1\">", .xspf), ("<ASX version=\"3\">", .asx),
      ("<?wpl version=\"1.0\"?>\n<smil>", .wpl),
      ("<html>", nil), ("", nil), ("ID3", nil), ("OggS", nil), ("a.mp3", nil),
    ] as [(String, PlaylistFormat?)])
  func `the first bytes determine the format`(text: String, format: PlaylistFormat?) {
    #expect(PlaylistFormat(content: Array(text.utf8)) == format)
  }

  @Test func `XSPF: locations, titles, milliseconds`() {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>List</title><!-- <track> -->
        <trackList>
          <track><location>http://a/b?c=1&amp;d=2</location>
            <title>A &lt;B&gt; &#x42;&#67;</title><duration>61500</duration></track>
          <track><title>no location</title></track>
          <track><location> c%20d.mp3 </location><location>other</location></track>
          <track><location><![CDATA[http://x/<&>]]></location><title/><duration>-1</duration></track>
        </trackList>
      </playlist>
      """
    #expect(items(text) == [item("http://a/b?c=1&d=2", "A <B> BC", 61.5), item("c%20d.mp3"), item("http://x/<&>")])
  }

  @Test func `ASX: the first of several references, any case, any quotes`() {
    let text = """
      <ASX VERSION="3.0"><TITLE>Station</TITLE>
      <Entry><Title>One</Title><Ref HREF='http://a/1' /><REF href="http://b/1"/></Entry>
      <ENTRY><ref href=http://a/2></ENTRY>
      <EntryRef href="next.asx"/>
      <entry><title>nothing</title></entry>
      </ASX>
      """
    #expect(items(text) == [item("http://a/1", "One"), item("http://a/2"), item("next.asx")])
  }

  @Test func `WPL: the sources of the media`() {
    let text = """
      <?wpl version="1.0"?>
      <smil><head><meta name="Generator" content="Windows"/><title>List</title></head>
      <body><seq><media src="..\\Music\\A &amp; B.mp3" cid="{1}"/><media cid="{2}"/><media src='c.wma'/></seq></body></smil>
      """
    #expect(items(text) == [item("..\\Music\\A & B.mp3"), item("c.wma")])
  }

  @Test(arguments: [PlaylistFormat.m3u, .pls, .xspf, .wpl], [true, false])
  func `lists in UTF-16, with a mark and without`(format: PlaylistFormat, hasMark: Bool) throws {
    let texts: [PlaylistFormat: String] = [
      .m3u: "#EXTM3U\r\nGrün.mp3\r\n", .pls: "[playlist]\r\nFile1=Grün.mp3\r\n",
      .xspf: "<playlist><trackList><track><location>Grün.mp3</location></track></trackList></playlist>",
      .wpl: "<smil><body><media src=\"Grün.mp3\"/></body></smil>",
    ]
    let units = Array(((hasMark ? "\u{feff}" : "") + (try #require(texts[format]))).utf16)
    for bytes in [
      units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }, units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] },
    ] {
      #expect(PlaylistReader.items(in: bytes, format: format) == [item("Grün.mp3")])
      #expect(format == .m3u || PlaylistFormat(content: bytes) == format)
    }
  }

  @Test func `PLS of another kind, and RAM`() {
    #expect(
      items("[Reference]\r\nRef1=http://a/1?x=y\r\nRef2=http://a/2\r\n") == [
        item("http://a/1?x=y"), item("http://a/2"),
      ])
    #expect(items("http://a/1.rm\n\n# note\nhttp://a/2.rm\n") == [item("http://a/1.rm"), item("http://a/2.rm")])
  }

  @Test(arguments: [PlaylistFormat.xspf, .asx, .wpl]) func `damaged documents end no program`(format: PlaylistFormat) {
    let document = Array(
      "<playlist><entry><ref href=\"a&amp;b\"/><track a='<'><location>x&#99999999;&</location></track><![CDATA[<!--"
        .utf8)
    for count in 0...document.count {
      _ = PlaylistReader.items(in: Array(document.prefix(count)), format: format)
      _ = PlaylistReader.items(in: Array(document.dropFirst(count)), format: format)
      for byte in Array("<>/='\"&;\u{0}".utf8) where count < document.count {
        var damaged = document
        damaged[count] = byte
        _ = PlaylistReader.items(in: damaged, format: format)
      }
    }
  }

  // MARK: From a network

  private func collect(_ address: String, _ documents: [String: String]) -> (targets: [String], failures: [String]) {
    var collector = MediaCollector(playableExtensions: ["mp3"])
    collector.fetchPlaylist = { address throws(ByteIOError) in
      guard let text = documents[address] else { throw ByteIOError(operation: "open", errno: 2) }
      return MediaCollector.RemotePlaylist(bytes: Array(text.utf8), address: WebAddress(address))
    }
    let collection = collector.collect([BytePath(address)])
    return (collection.entries.map { "\($0.location)" }, collection.failures.map { "\($0)" })
  }

  @Test func `entries are relative to where the list is, and lists may name lists`() {
    let found = collect(
      "http://a/x/list.m3u",
      [
        "http://a/x/list.m3u": "#EXTM3U\n#EXTINF:9,T\n1 2.mp3\n/y.mp3\n//b/z.mp3\n../more.pls\nhttp://c/d",
        "http://a/more.pls": "[playlist]\nFile1=deep.mp3\n",
      ])
    #expect(
      found.targets == ["http://a/x/1%202.mp3", "http://a/y.mp3", "http://b/z.mp3", "http://a/deep.mp3", "http://c/d"])
    #expect(found.failures == [])
  }

  @Test func `a sheet is its tracks, wherever it is named, and a track is one`() {
    let sheet = "FILE a.flac WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 1:0:0\n"
    let other = "FILE file:///etc/passwd WAVE\nTRACK 3 AUDIO\nINDEX 01 0:0:0\n"
    let documents = [
      "http://a/x/l.cue": sheet + other, "http://a/l.m3u": "x/l.cue\nx/l.cue#2\nb.mp3#2", "http://a/e.cue": "no sheet",
    ]
    let tracks = ["http://a/x/l.cue#1", "http://a/x/l.cue#2"]
    let found = collect("http://a/x/l.cue", documents)
    #expect(found.targets == tracks)
    #expect(found.failures == ["http://a/x/l.cue: names what does not lie on the network: left out"])
    #expect(collect("http://a/x/l.cue#2", documents).targets == [tracks[1]])
    #expect(collect("http://a/l.m3u", documents).targets == tracks + [tracks[1], "http://a/b.mp3"])
    #expect(collect("http://a/e.cue", documents).failures == ["http://a/e.cue: holds nothing that can be played"])
  }

  @Test func `a sheet on disk may name files of the web`() {
    let folder = TemporaryFolder()
    let text = "FILE \"http://h/a b.flac\" WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\n"
    let sheet = folder.write("a.cue", text)
    let collector = MediaCollector(playableExtensions: [])
    let tracks = [CollectedEntry(location: .track(sheet, number: 1))]
    #expect(collector.collect([sheet]).entries == tracks && collector.collect([sheet]).failures == [])
    #expect(collector.collect([sheet.parent]).entries == tracks)
  }

  @Test(arguments: ["file:///etc/passwd", "FILE:/etc/passwd", "smb://a/b", "data:text/plain,x", "C:\\a.mp3"])
  func `a list from a network reaches nothing of this computer`(target: String) {
    let found = collect("http://a/l.m3u", ["http://a/l.m3u": "\(target)\nok.mp3"])
    #expect(found.targets == ["http://a/ok.mp3"])
    #expect(found.failures == ["http://a/l.m3u: names what does not lie on the network: left out"])
  }

  @Test func `the content decides, not the name`() {
    let found = collect("http://a/l.m3u", ["http://a/l.m3u": "[playlist]\nFile1=http://b/\n"])
    #expect(found.targets == ["http://b/"])
  }

  @Test func `lists in circles, lists without end, missing and empty lists, and HLS`() {
    #expect(
      collect("http://a/l.m3u", ["http://a/l.m3u": "l.m3u"]).failures == [
        "http://a/l.m3u: a playlist that contains itself"
      ])
    let deep = Dictionary(uniqueKeysWithValues: (0..<20).map { ("http://a/\($0).m3u", "\($0 + 1).m3u") })
    #expect(collect("http://a/0.m3u", deep).failures == ["http://a/8.m3u: too much: the rest is left out"])
    #expect(collect("http://a/l.m3u", [:]).failures == ["http://a/l.m3u: cannot open: No such file or directory"])
    #expect(
      collect("http://a/l.m3u", ["http://a/l.m3u": ""]).failures == ["http://a/l.m3u: holds nothing that can be played"]
    )
    let hls = collect("http://a/l.m3u8", ["http://a/l.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n1.ts"])
    #expect(hls.targets == ["http://a/l.m3u8"] && hls.failures == [], "pieces of one stream are no entries")
  }

  @Test func `HLS on disk is not a list of tracks`() {
    let folder = TemporaryFolder()
    let list = folder.write("a.m3u8", "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n1.ts\n2.ts\n")
    let collection = MediaCollector(playableExtensions: []).collect([list])
    #expect(collection.entries == [] && collection.failures == [.init(path: list, reason: .liveStreaming)])
  }

  @Test func `name and password of a list's address are in no message`() {
    #expect(collect("http://me:secret@a/l.m3u", [:]).failures.first?.hasPrefix("http://a/l.m3u: ") == true)
  }

  @Test func `the comments of an entry are written once, its attributes each time`() {
    let folder = TemporaryFolder()
    let text = "#EXTM3U\n# mine\n#EXTINF:3,A\n/a.mp3\n/b.mp3\n"
    let notes = withExtendedLifetime(folder) { PlaylistNotes(of: folder.write("list.m3u8", text)) }
    let entries = ["/a.mp3", "/b.mp3", "/a.mp3"].map { MediaLocation.file(BytePath($0)) }
    #expect(String(decoding: notes.bytes(of: entries), as: UTF8.self) == text + "#EXTINF:3,A\n/a.mp3\n")
  }
}
