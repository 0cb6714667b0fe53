import AudioModel
import ByteIO
import SoundServerSupport
import Testing

@testable import Containers

/// Cue sheets with any quoting and charset, and what is made of them.
struct CueSheetTests {
  /// A track as a line: file, start in frames of 1/75 s, number, title and artist.
  private func lines(_ sheet: CueSheet) -> [String] {
    sheet.tracks.map { track in
      let name = String(decoding: track.file, as: UTF8.self)
      let number = track.tags.trackNumber ?? 0
      return "\(name) \(track.start.value)/\(track.start.timescale) \(number) \(track.tags.title ?? "-")"
        + " by \(track.tags.artist ?? "-")"
    }
  }

  @Test func `silence around a track is reported, unless it is empty`() {
    let text = """
      FILE a.wav WAVE
      TRACK 1 AUDIO
      PREGAP 00:02:10
      INDEX 01 00:00:00
      POSTGAP 00:00:74
      TRACK 2 AUDIO
      POSTGAP 00:01:00
      INDEX 01 00:10:00
      PREGAP 00:01:00
      TRACK 3 AUDIO
      PREGAP 100:00:00
      INDEX 01 00:20:00
      POSTGAP 1:75:00
      """
    let tracks = CueSheet(Array(text.utf8)).tracks
    #expect(tracks.map(\.pregap.value) == [160, 0, 0], "before INDEX 01 only, and no more than a disc holds")
    #expect(tracks.map(\.postgap.value) == [74, 0, 0], "after INDEX 01 only")
    #expect(tracks.allSatisfy { $0.pregap.timescale == 75 && $0.postgap.timescale == 75 })
  }

  @Test(
    arguments: [
      ("a b.flac", "http://h/x/a%20b.flac"), ("../a #1?.flac", "http://h/a%20%231%3f.flac"),
      ("a%20b.flac", "http://h/x/a%20b.flac"),
      ("/a.flac", "http://h/a.flac"), ("https://i/a.flac?b#c", "https://i/a.flac?b"), ("file:///etc/passwd", nil),
      ("D:\\a.flac", nil),
    ] as [(String, String?)])
  func `files of a sheet on the web are relative to it, and on the web`(name: String, address: String?) {
    let track = CueSheet.Track(file: Array(name.utf8), start: MediaTime(0, timescale: 75), tags: TrackTags())
    let sheet = CueSheet(tracks: [track])
    #expect(sheet.address(of: track, in: WebAddress("http://me:x@h/x/l.cue"))?.description == address)
  }

  private let goldberg = CueSheet(
    Array(
      """
      REM GENRE Baroque
      REM DATE 1981
      REM REPLAYGAIN_ALBUM_GAIN -3.50 dB
      REM COMMENT "ExactAudioCopy v1.0"
      PERFORMER "J. S. Bach"
      TITLE "Goldberg"
      FILE "a.wav" WAVE
        TRACK 01 AUDIO
          TITLE "Aria "mit" Quotes"
          REM REPLAYGAIN_TRACK_GAIN +1.25 dB
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE 'It's one'
          PERFORMER Gould
          FLAGS DCP
          INDEX 00 02:01:70
          INDEX 01 02:03:74
          INDEX 02 02:10:00
          ISRC USSM18100396
        track 3 audio
          PREGAP 00:02:00
          INDEX 01 120:00:00
          POSTGAP 00:01:00
      """.utf8))

  @Test func `tracks of one file, with gaps in it and before it`() {
    #expect(
      lines(goldberg) == [
        "a.wav 0/75 1 Aria \"mit\" Quotes by J. S. Bach", "a.wav 9299/75 2 It's one by Gould",
        "a.wav 540000/75 3 - by J. S. Bach",
      ])
  }

  @Test func `fields of the sheet apply to each track`() {
    for track in goldberg.tracks {
      let tags = track.tags
      #expect(tags.album == "Goldberg" && tags.albumArtist == "J. S. Bach" && tags.trackCount == 3)
      #expect(tags.genre == "Baroque" && tags.date == "1981" && tags.gain.album == -3.5 && tags.comment == nil)
    }
    #expect(goldberg.tracks.map(\.tags.gain.track) == [1.25, nil, nil])
    #expect(goldberg.tracks.map(\.tags.isrc) == [nil, "USSM18100396", nil])
  }

  @Test func `a track ends at the next start in its file, in any order, and never before its own start`() {
    let text = """
      FILE a.wav WAVE
      TRACK 01 AUDIO
      INDEX 01 00:05:00
      TRACK 02 AUDIO
      INDEX 01 00:03:00
      TRACK 03 AUDIO
      INDEX 01 00:05:00
      FILE b.wav WAVE
      TRACK 04 AUDIO
      INDEX 01 00:00:00
      TRACK 05 AUDIO
      INDEX 01 00:09:00
      """
    let sheet = CueSheet(Array(text.utf8))
    #expect(sheet.tracks.map { sheet.end(of: $0)?.seconds } == [nil, 5, nil, 9, nil])
  }

  @Test(
    arguments: [
      ("FILE \"a b.wav\" WAVE", "a b.wav"), ("FILE a b.wav WAVE", "a b.wav"), ("FILE 'a\"b' MP3", "a\"b"),
      ("FILE \"a\"b\".wav\" WAVE", "a\"b\".wav"), ("FILE a.wav", "a.wav"), ("\u{feff}FILE \"a.wav\"", "a.wav"),
    ])
  func `the name of a file`(line: String, name: String) {
    let sheet = CueSheet(Array("\(line)\r\nTRACK 01 AUDIO\r\nINDEX 01 00:00:00\r\n".utf8))
    #expect(sheet.tracks.map { String(decoding: $0.file, as: UTF8.self) } == [name])
  }

  @Test func `several files, data tracks, and text in Latin-1`() {
    let text = "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 MODE1/2352\nINDEX 01 00:01:00\n"
    let latin = Array("FILE b.wav WAVE\nTRACK 03 AUDIO\nTITLE F".utf8) + [0xfc] + Array("r\nINDEX 01 00:00:01\n".utf8)
    #expect(lines(CueSheet(Array(text.utf8) + latin)) == ["a.wav 0/75 1 - by -", "b.wav 1/75 3 Für by -"])
  }

  @Test(arguments: [false, true]) func `text in UTF-16`(isBigEndian: Bool) {
    let text = "\u{feff}FILE \"ä.wav\" WAVE\r\nTRACK 01 AUDIO\r\nTITLE \"夜\"\r\nINDEX 01 00:00:01\r\n"
    let bytes = text.utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
      return isBigEndian ? [high, low] : [low, high]
    }
    #expect(lines(CueSheet(bytes)) == ["ä.wav 1/75 1 夜 by -"])
  }

  @Test(
    arguments: ["", "INDEX 01 00:00:00", "FILE a WAVE\nINDEX 01 00:00:00", "TRACK 01 AUDIO\nINDEX 01 00:00:00"]
      + ["00:60:00", "00:00:75", "-1:00:00", "0:0", "99999999999:00:00", "a:b:c", ""].map {
        "FILE a WAVE\nTRACK 01 AUDIO\nINDEX 01 \($0)"
      })
  func `malformed lines give no track`(text: String) {
    #expect(CueSheet(Array(text.utf8)).tracks.isEmpty)
  }

  @Test func `a sheet in a tag applies only to its own file`() {
    var tags = TrackTags()
    let tracks = "FILE x WAVE\nTRACK 01 AUDIO\nTITLE One\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:01:00\n"
    tags.add(tracks + "FILE y WAVE\nTRACK 03 AUDIO\nINDEX 01 00:00:00\n", named: "cuesheet")
    #expect(tags.cueSheet.map(lines) == [" 0/75 1 One by -", " 75/75 2 - by -"])
    #expect(tags.chapters == [.init(start: 0, title: "One"), .init(start: 1, title: "Track 2")])
  }

  // MARK: The file of a sheet

  @Test(
    arguments: [
      ("album.wav", ["album.wav", "album.flac"], "album.wav"),
      ("album.wav", ["Album.FLAC", "other.flac"], "Album.FLAC"),
      ("C:\\Music\\album.wav", ["album.flac"], "album.flac"), ("sub\\a.wav", ["sub/a.flac", "a.mp3"], "sub/a.flac"),
      ("CDImage.wav", ["sheet.flac", "other.flac"], "sheet.flac"), ("F\u{fc}r.wav", ["Für.wav"], "Für.wav"),
      ("album.wav", ["album.txt", "other.flac"], nil), ("sheet.cue", ["other.flac"], nil),
    ] as [(String, [String], String?)])
  func `the file of a sheet`(name: String, files: [String], found: String?) throws {
    let folder = try TemporaryFolder()
    _ = try ChildProcess(["mkdir", folder("sub")]).wait()
    for file in files { try write([], to: folder(file)) }
    let written = name.contains("\u{fc}") ? name.unicodeScalars.map { UInt8($0.value) } : Array(name.utf8)
    let sheet = CueSheet(Array("FILE \"".utf8) + written + Array("\" WAVE\nTRACK 01 AUDIO\nINDEX 01 0:0:0".utf8))
    let path = BytePath(folder.path + "/sheet.cue")
    #expect(
      sheet.path(of: try #require(sheet.tracks.first), in: path)?.description == found.map { "\(folder.path)/\($0)" })
  }

  // MARK: Exact times

  @Test func `frames of a time are exact at any rate`() {
    let time = MediaTime(123 * 75 + 74, timescale: 75)
    #expect(time.frame(atSampleRate: 44100) == (123 * 75 + 74) * 588)
    #expect(time.frame(atSampleRate: 48000) == (123 * 75 + 74) * 640)
    #expect(MediaTime(1, timescale: 75).frame(atSampleRate: 8000) == 106)
    #expect(MediaTime(.max, timescale: 44100).frame(atSampleRate: 44100) == .max)
    #expect(MediaTime(.max, timescale: 1).frame(atSampleRate: 768_000) == .max)
    #expect(MediaTime(-1, timescale: 0) == MediaTime(0, timescale: 1))
    #expect(MediaTime(.max, timescale: 3) < MediaTime(.max, timescale: 2))
    #expect(!(MediaTime(2, timescale: 4) < MediaTime(1, timescale: 2)))
  }
}
