internal import AudioModel
internal import ByteIO
internal import Library
internal import Playback

/// A change of the times of the current lyrics.
public enum LyricsShift: Sendable, Hashable {
  /// Shows the lines so many seconds later than written, or earlier if negative.
  case to(Double)
  /// Adds seconds to the shift.
  case by(Double)

  /// The largest shift in seconds.
  public static let limit = 60.0

  /// The shift in seconds after this change of an old one, in whole hundredths.
  func applied(to old: Double) -> Double {
    let seconds = if case .by(let change) = self { old + change } else { value }
    return (min(max(seconds, -Self.limit), Self.limit) * 100).rounded() / 100
  }

  /// The number of the command: `+0.3`, `-0.1`, `0`.
  var text: String {
    if case .by(let change) = self { return (change < 0 ? "" : "+") + written(change) }
    return written(value)
  }

  /// The effect, for the Help view.
  var help: String {
    switch self {
    case .by(let change): "show the lyrics \(written(change.magnitude)) s " + (change < 0 ? "earlier" : "later")
    case .to(0): "show the lyrics at their own times"
    case .to(let seconds): "show the lyrics \(written(seconds)) s later than written"
    }
  }

  private var value: Double {
    switch self {
    case .to(let seconds), .by(let seconds): seconds
    }
  }

  /// A shift as the screen shows it: `shifted by +0.3 s`.
  public static func sentence(on seconds: Double) -> String {
    seconds == 0 ? "not shifted" : "shifted by " + (seconds < 0 ? "" : "+") + written(seconds) + " s"
  }
}

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
    if seconds == 0 { return SmallFile.remove(path) }
    try SmallFile.write(Array((written(seconds) + "\n").utf8), to: path, isFinal: false)
  }
}
