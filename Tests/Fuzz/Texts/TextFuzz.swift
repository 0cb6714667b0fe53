import AudioModel
import ByteIO
import Containers
import Glibc

@testable import ByteIO
@testable import Library
@testable import Streaming

/// Any bytes as what people and servers write: playlists, cue sheets, lyrics, playlists of HLS, texts in an unknown
/// character set, and as the tags of a file whose sound nobody can play. Nothing may trap, hang, or take more memory than
/// a file of this size deserves. libFuzzer calls it.
///
/// SEGUE_FUZZ_FORMAT is `texts`, whose first byte chooses the reader, or `tags`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTexts(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data, count: count).dropFirst())
  if readsTags {
    _ = try? TrackTags.readable(MemorySource(bytes, byteCount: Int64(bytes.count)))
  } else {
    read(bytes, by: data[0])
  }
  return 0
}

private let readsTags = getenv("SEGUE_FUZZ_FORMAT").map { String(cString: $0) } == "tags"

private func read(_ bytes: [UInt8], by number: UInt8) {
  let formats: [PlaylistFormat] = [.m3u, .pls, .xspf, .asx, .wpl]
  switch number % 9 {
  case let format where format < formats.count: readPlaylist(bytes, formats[Int(format)])
  case 5: readSheet(CueSheet(bytes))
  case 6:
    let lyrics = Lyrics(text: TextReading(of: [bytes]).text(bytes)).shifted(by: 1)
    for seconds in [0, 1.5, 100] { _ = (lyrics.line(at: seconds), lyrics.nextChange(after: seconds)) }
  case 7:
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? HLSPlaylist(text, at: WebAddress("http://host/a/list.m3u8?token=1"))
  default:
    let texts = bytes.split(separator: 0).map { Array($0) }
    let reading = TextReading(of: texts, chosen: nil)
    for text in texts { precondition(reading.text(text).utf8.count <= 4 * text.count + 4, "a text grows") }
  }
}

private func readPlaylist(_ bytes: [UInt8], _ format: PlaylistFormat) {
  _ = PlaylistFormat(content: bytes)
  for item in PlaylistReader.items(in: bytes, format: format) {
    precondition(item.target.count <= 4 * bytes.count + 4, "an entry longer than its list")
    _ = MediaLocation(libraryPath: BytePath(item.target))
  }
}

private func readSheet(_ sheet: CueSheet) {
  for track in sheet.tracks.prefix(100) {
    let end = sheet.end(of: track)
    precondition(end.map { $0 > track.start } ?? true, "a track ends before it begins")
    var file = MediaInformation()
    file.duration = 1000
    let duration = track.information(of: file, end: end).duration ?? 0
    precondition(duration >= 0 && duration.isFinite, "a track of \(duration) seconds")
    _ = sheet.address(of: track, in: WebAddress("http://host/a/album.cue"))
  }
}
