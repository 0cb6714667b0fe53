public import ByteIO
internal import Glibc

/// The reason why an address cannot be read, or not any further.
public struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Kinds of failures.
  public enum Kind: Hashable, Sendable {
    /// libcurl is not installed.
    case libraryMissing
    /// No server can be found or reached. Another try may help.
    case unreachable
    /// The connection ended, or nothing came for too long. Another try may help.
    case interrupted
    /// The server answers that it cannot now. Another try may help.
    case busy
    /// The server refuses: 404, for instance.
    case refused(status: Int)
    /// Nothing that can be read or trusted: no certificate, an answer that makes no sense, redirects without end.
    case unusable
    /// A playlist of these, which was not to be followed.
    case playlist([WebAddress])
    /// A playlist that is named like one of HTTP live streaming, but is another kind.
    case otherPlaylist
    /// The bytes are not those that were there before.
    case changed
    /// The reader does not want it any more.
    case cancelled
  }

  /// The kind of the failure.
  public var kind: Kind
  /// The reason and a remedy, as part of a sentence; never a name or password.
  public var message: String

  init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

  /// The message.
  public var description: String { message }

  /// Whether another try may help.
  var mayPass: Bool {
    switch kind {
    case .unreachable, .interrupted, .busy: true
    case .libraryMissing, .refused, .unusable, .playlist, .otherPlaylist, .changed, .cancelled: false
    }
  }

  /// As a `ByteSource` says it.
  public func byteIOError(_ operation: String, at byteOffset: Int64? = nil) -> ByteIOError {
    let number: Int32 =
      switch kind {
      case .cancelled: ECANCELED
      case .refused(status: 404), .refused(status: 410): ENOENT
      case .refused(status: 401), .refused(status: 403): EACCES
      default: EIO
      }
    return ByteIOError(operation: operation, errno: number, byteOffset: byteOffset, detail: message)
  }
}
