/// Where an input lies.
public enum MediaLocation: Hashable, Sendable, CustomStringConvertible {
  /// A file on disk.
  case file(BytePath)
  /// A network stream, as it was written.
  case url(String)

  /// The path or address as text; path bytes that are not UTF-8 become U+FFFD, name and password are left out.
  public var description: String {
    switch self {
    case .file(let path): path.description
    case .url(let address): address.withoutUserInfo
    }
  }

  /// The path or address as it was written.
  public var text: String {
    switch self {
    case .file(let path): path.description
    case .url(let address): address
    }
  }
}
