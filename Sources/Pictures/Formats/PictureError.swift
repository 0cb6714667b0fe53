/// The reason why a picture cannot be decoded.
public struct PictureError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The format's library is not installed.
    case libraryMissing
    /// The bytes are not a picture of a known format.
    case unsupported
    /// The picture exceeds a limit of `Picture`.
    case tooLarge
    /// The format's library refuses the bytes.
    case damaged
  }

  public var code: Code
  /// The reason in words, such as `this PNG picture is damaged: Not a PNG file`.
  public var description: String

  init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}
