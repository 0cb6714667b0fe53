import SoundServerSupport

/// A line of `--events`.
struct Event: Equatable, CustomStringConvertible {
  let line: String

  var name: String { self["event"] ?? "" }
  var state: String? { self["state"] }
  var reason: String? { self["reason"] }
  var message: String? { self["message"] }
  var track: String? { self["track"] }
  var position: Double? { self["position"].flatMap(Double.init) }
  /// Seconds by the wall clock.
  var time: Double? { self["time"].flatMap(Double.init) }
  /// `playing`, `paused user`, `seek`...
  var summary: String { state.map { $0 == "playing" ? $0 : "\($0) \(reason ?? "")" } ?? name }
  var description: String { summary + (position.map { " at \($0)" } ?? "") }

  /// The frame at its position; nil where that lies between two frames.
  func frame(rate: Int = 44100) -> Int? {
    position.flatMap { position in
      let frame = (position * Double(rate)).rounded()
      return abs(position * Double(rate) - frame) < 0.01 ? Int(frame) : nil
    }
  }

  /// A member's value, as it is written but for quotes.
  subscript(name: String) -> String? {
    guard let key = line.firstRange(of: "\"\(name)\":") else { return nil }
    let value = line[key.upperBound...]
    if value.first == "\"" { return String(value.dropFirst().prefix { $0 != "\"" }) }
    return String(value.prefix { $0 != "," && $0 != "}" })
  }

  /// The events in a file so far.
  static func all(in path: String) -> [Event] {
    String(decoding: contents(of: path), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().map { Event(line: String($0)) }
  }
}
