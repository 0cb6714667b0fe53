internal import AudioModel
public import ByteIO
internal import Glibc

/// The reason why an address cannot be read, or not further.
public struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Kinds of failures.
  public enum Kind: Hashable, Sendable {
    /// libcurl is not installed.
    case libraryMissing
    /// No server can be found or reached. Another attempt may help.
    case unreachable
    /// The connection ended, or nothing arrived for too long. Another attempt may help.
    case interrupted
    /// The server closed the connection before the number of bytes that it had stated. Another attempt may help.
    case short
    /// The server is busy. Another attempt may help.
    case busy
    /// The server refuses: 404, for instance.
    case refused(status: Int)
    /// The answer cannot be read or trusted: no certificate, a malformed answer, too many redirects.
    case unusable
    /// The certificate of the server is not trusted, or not the one that was accepted.
    case untrusted
    /// A playlist with these entries, which was not to be followed.
    case playlist([WebAddress])
    /// A playlist with a name of HTTP live streaming, but of another kind.
    case otherPlaylist
    /// The bytes differ from those that arrived before.
    case changed
    /// The reader cancelled it.
    case cancelled
  }

  /// The kind of the failure.
  public var kind: Kind
  /// The reason and a remedy, as part of a sentence; never a name or password.
  public var message: String

  /// A failure.
  public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

  /// `message`, which never contains a name or password.
  public var description: String { message }

  /// True if another attempt may help.
  var mayPass: Bool {
    switch kind {
    case .unreachable, .interrupted, .short, .busy: true
    case .libraryMissing, .refused, .unusable, .untrusted, .playlist, .otherPlaylist, .changed, .cancelled: false
    }
  }

  /// True if the server refuses the resource, so that it is missing.
  var isRefusal: Bool { if case .refused = kind { true } else { false } }

  /// A segment that the playlist itself calls missing.
  static let missingSegment = NetworkError(.refused(status: 404), "a segment of this HLS stream is missing")

  /// The error of the last one of some attempts, none of which has brought the byte at `offset`.
  func after(_ attemptCount: Int, withoutByte offset: Int64) -> NetworkError {
    NetworkError(kind, "\(counted(attemptCount, "attempt")) brought nothing from byte \(offset) on: \(message)")
  }

  /// The error as a `ByteSource` throws it.
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
