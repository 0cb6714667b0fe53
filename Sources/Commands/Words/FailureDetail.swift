public import Library
public import Playback

/// The parts of a failure that a face prints.
public enum FailureDetail: Sendable {
  /// The words alone, for the message line: `no MPEG audio in the first 64 KiB`.
  case reason
  /// With the place in the input, for standard error: `a hole (byte offset 7)`.
  case place
  /// With the code, for the log and for programs: `a hole ('dta?', byte offset 7)`.
  case full
}

extension TrackError {
  public func text(_ detail: FailureDetail) -> String {
    switch detail {
    case .reason: reason
    // An offset of 0 says only that it is about the whole input.
    case .place: reason + (byteOffset.map { $0 == 0 ? "" : " (byte offset \($0))" } ?? "")
    case .full: description
    }
  }
}

extension CollectionFailure {
  /// The problem, without the path.
  public func problem(_ detail: FailureDetail) -> String {
    switch reason {
    case .unreadable(let error): TrackError.source(error).text(detail)
    case .unplayable(let error): TrackError.container(error).text(detail)
    default: reason.description
    }
  }
}
