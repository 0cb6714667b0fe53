/// Where an input lies.
public enum MediaLocation: Hashable, Sendable, CustomStringConvertible {
  /// A file on disk.
  case file(BytePath)
  /// A track, counted from 1, of the cue sheet that lies here: in a file of its own or within a file of sound.
  case track(BytePath, number: Int)
  /// A network stream, as it was written.
  case url(String)

  /// The path or address as text; path bytes that are not UTF-8 become U+FFFD, name and password are left out.
  public var description: String {
    switch self {
    case .file(let path): path.description
    case .track(let path, let number): "\(path)#\(number)"
    case .url(let address): address.withoutUserInfo
    }
  }

  /// The path or address as it was written.
  public var text: String {
    if case .url(let address) = self { address } else { description }
  }

  /// What a line has room for: a file's name without its folders.
  public var name: String {
    switch self {
    case .file(let path): path.lastComponent.description
    case .track(let path, let number): "\(path.lastComponent)#\(number)"
    case .url: description
    }
  }

  /// Whether `next` is the next track of the same sheet.
  public func isFollowed(by next: MediaLocation) -> Bool {
    guard case .track(let sheet, let number) = self else { return false }
    return next == .track(sheet, number: number &+ 1)
  }
}
