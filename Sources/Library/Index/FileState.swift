internal import ByteIO

/// The state of a file. Raw values are stored.
public enum FileState: Int, Sendable {
  /// The file exists.
  case here = 0
  /// The folder exists, the file does not.
  case missing = 1
  /// The file cannot be read as audio.
  case bad = 2
  /// The disk is not connected.
  case away = 3
  /// The listener removed it from the library.
  case forgotten = 4
  /// The library has the tracks in its place that a cue sheet divides it into.
  case divided = 5
}

extension FileState {
  /// The state of a file that no scan has seen.
  init(looking path: BytePath) {
    let (isHere, hasFolder) = (FileKind(path) != nil, FileKind(path.parent) != nil)
    self = isHere ? .here : hasFolder ? .missing : .away
  }
}
