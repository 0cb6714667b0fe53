internal import ByteIO

/// A cue sheet: which tracks a file, or several, are made of. Pure; what cannot be understood is passed over.
///
///     PERFORMER "J. S. Bach"
///     FILE "Goldberg.flac" WAVE
///       TRACK 01 AUDIO
///         TITLE "Aria"
///         PREGAP 00:02:00
///         INDEX 00 00:00:00
///         INDEX 01 00:00:32         minutes, seconds, frames of 1/75 s
struct CueSheet: Hashable {
  /// One track.
  struct Track: Hashable {
    /// The file it lies in, as written.
    var file: [UInt8]
    var number: Int
    var title: String?
    var performer: String?
    /// Where its gap begins in the file (INDEX 00), in frames of 1/75 s; `nil` if it has none there.
    var gapStart: Int?
    /// Where it begins in the file (INDEX 01), in frames of 1/75 s.
    var start: Int
    /// Silence before it that no file holds (PREGAP), in frames of 1/75 s.
    var pregap = 0
  }

  /// Frames in a second, as on a CD.
  static let framesPerSecond = 75

  /// Of the whole.
  var title: String?
  var performer: String?
  /// In the sheet's order; those without INDEX 01 or file are left out.
  private(set) var tracks: [Track] = []

  /// Reads a sheet: UTF-8 or, where it cannot be that, ISO 8859-1.
  init(_ bytes: [UInt8]) {
    var file: [UInt8] = []
    var track: (number: Int, title: String?, performer: String?, gapStart: Int?, start: Int?, pregap: Int)?
    for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      var words = Words(line)
      guard let command = words.next() else { continue }
      switch String(guessing: command).uppercased() {
      case "FILE": file = words.name() ?? []
      case "TRACK":
        let number = words.number() ?? 0
        track =
          words.next().map { String(guessing: $0).uppercased() } == "AUDIO" ? (number, nil, nil, nil, nil, 0) : nil
      case "TITLE": if track != nil { track?.title = words.text() } else { title = title ?? words.text() }
      case "PERFORMER":
        if track != nil { track?.performer = words.text() } else { performer = performer ?? words.text() }
      case "PREGAP": track?.pregap = words.time() ?? 0
      case "INDEX":
        guard let index = words.number(), let time = words.time(), let current = track, !file.isEmpty else { break }
        if index == 0 { track?.gapStart = time }
        guard index == 1, current.start == nil else { break }
        track?.start = time
        tracks.append(
          Track(
            file: file, number: current.number, title: current.title, performer: current.performer ?? performer,
            gapStart: current.gapStart, start: time, pregap: current.pregap))
      default: break
      }
    }
  }

  /// What a line is made of: words, and texts in quotes of either kind, which may hold more of the same kind.
  private struct Words {
    private var rest: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) {
      rest = line.starts(with: [0xef, 0xbb, 0xbf]) ? line.dropFirst(3) : line
    }

    /// The next word.
    mutating func next() -> ArraySlice<UInt8>? {
      rest = rest.drop { $0 <= 0x20 }
      let word = rest.prefix { $0 > 0x20 }
      rest = rest[word.endIndex...]
      return word.isEmpty ? nil : word
    }

    mutating func number() -> Int? {
      next().flatMap { Int(String(decoding: $0, as: UTF8.self)) }.flatMap { 0...99 ~= $0 ? $0 : nil }
    }

    /// `mm:ss:ff`; minutes may be more than 99.
    mutating func time() -> Int? {
      let parts = next()?.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        .map { Int(String(decoding: $0, as: UTF8.self)) }
      guard let parts, parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2],
        0...99_999 ~= minutes, 0..<60 ~= seconds, 0..<CueSheet.framesPerSecond ~= frames
      else { return nil }
      return (minutes * 60 + seconds) * CueSheet.framesPerSecond + frames
    }

    /// The rest of the line, without quotes; `nil` if it is empty.
    mutating func text() -> String? {
      rest = rest.drop { $0 <= 0x20 }
      let end = rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex
      let text = unquoted(rest[..<end])
      return text.isEmpty ? nil : String(guessing: text)
    }

    /// A name in quotes, or up to the last word, which says what kind of file it is.
    mutating func name() -> [UInt8]? {
      rest = rest.drop { $0 <= 0x20 }
      let end = rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex
      let words = rest[..<end]
      if let quote = words.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let last = words.lastIndex(of: quote), last > words.startIndex
      {
        return Array(words[(words.startIndex + 1)..<last])
      }
      guard let gap = words.lastIndex(where: { $0 <= 0x20 }) else { return Array(words) }
      let name = words[..<gap]
      return Array(name[..<(name.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? name.endIndex)])
    }

    private func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      guard text.count >= 2, let quote = text.first, quote == text.last,
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
      else { return text }
      return text.dropFirst().dropLast()
    }
  }
}
