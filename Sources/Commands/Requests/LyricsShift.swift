/// A change of the times of the current lyrics.
public enum LyricsShift: Sendable, Hashable {
  /// Shows the lines so many seconds later than written, or earlier if negative.
  case to(Double)
  /// Adds seconds to the shift.
  case by(Double)

  /// The largest shift in seconds.
  public static let limit = 60.0

  /// The shift in seconds after this change of an old one, in whole hundredths.
  package func applied(to old: Double) -> Double {
    let seconds = if case .by(let change) = self { old + change } else { value }
    return (min(max(seconds, -Self.limit), Self.limit) * 100).rounded() / 100
  }

  /// The number of the command: `+0.3`, `-0.1`, `0`.
  var text: String {
    if case .by(let change) = self { signed(change) } else { written(value) }
  }

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
    seconds == 0 ? "not shifted" : "shifted by \(signed(seconds)) s"
  }
}
