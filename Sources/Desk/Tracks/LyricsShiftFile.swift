internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback

/// The file with the shift of a song, in seconds. Its name is made of title, artist and album where the tags have them,
/// so that the shift stays with a moved file; else of the place of the track.
struct LyricsShiftFile: Sendable {
  private let path: BytePath

  /// - Parameter folder: The folder of all such files.
  init(of entry: QueueEntry, _ tags: TrackTags, in folder: BytePath) {
    let names = [tags.title, tags.artist].compactMap(\.self).filter { !$0.isEmpty }
    let place = if case .file(let file) = entry.location { file.absolute } else { entry.location.written }
    let key = names.count == 2 ? Array((names + [tags.album ?? ""]).joined(separator: "\n").utf8) : place.bytes
    path = folder.appending(BytePath(key.fnvDigits() + ".shift"))
  }

  /// The shift; 0 without a file, or with an unreadable one.
  var seconds: Double {
    let text = (try? SmallFile.read(path)).map { String(decoding: $0.prefix(20), as: UTF8.self) }
    let number = text.flatMap { $0.split(whereSeparator: \.isNewline).first }.flatMap { Double($0) } ?? 0
    return number.isFinite ? LyricsShift.to(number).applied(to: 0) : 0
  }

  /// Keeps a shift. Blocks while the disk writes.
  func write(_ seconds: Double) throws(ByteIOError) {
    guard seconds != 0 else {
      path.removeFile()
      return
    }
    try SmallFile.write(Array((written(seconds) + "\n").utf8), to: path, isFinal: false)
  }
}
