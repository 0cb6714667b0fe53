public import AudioModel
internal import ByteIO

/// A track as a server of music describes it.
public struct ServerTrack: Sendable, Hashable {
  /// The name that the server knows it by, as one part of an address: `segue://NAME/ID` is its place.
  public var id: String
  public var tags = CatalogueTags()
  /// Seconds.
  public var duration: Double?
  public var format: AudioFormatID?
  /// Bits per second.
  public var bitRate: Int?
  /// In bytes; 0 if it is not known.
  public var byteCount: Int64 = 0
  /// When the server got it: seconds since 1970; 0 if it is not known.
  public var added: Int64 = 0

  /// The listener's rating there, from 1 to 5; 0 for none.
  public var rating = 0
  /// True if the listener marked it there with a star.
  public var isLoved = false
  /// The number of plays there.
  public var playCount = 0
  /// When it was last played there: seconds since 1970; `nil` if the server does not say it.
  public var lastPlayed: Int64?

  /// A track without facts. Any text can be an ID.
  public init(id: String) { self.id = WebAddress.encoded(id) }

  /// Changes with each fact but those of the listener.
  var stamp: FileStamp {
    let facts = "\(duration ?? -1) \(format?.description ?? "") \(bitRate ?? 0)"
    return FileStamp(
      size: byteCount, modified: added.multipliedReportingOverflow(by: 1_000_000_000).partialValue,
      changed: Int64(bitPattern: tags.stored.fnvSum(from: facts.utf8.fnvSum())), device: 0, inode: 0)
  }
}

/// The tracks of a server, page by page.
public protocol ServerCatalogue {
  /// The next tracks, which may be none; `nil` after the last ones. Throws the reason why no more can be had, as a
  /// sentence. Blocks.
  mutating func next() throws(ServerFailure) -> [ServerTrack]?
  /// True if tracks may be missing from what `next` has returned: those that it lacks are not gone.
  var isPartial: Bool { get }
}

extension ServerCatalogue {
  public var isPartial: Bool { false }
}

/// The reason why a server does not answer, or not as it should: a sentence without names and secrets.
public struct ServerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public var description: String
  /// The number of the error, if the server's interface answered with one.
  public var code: Int?
  /// The status of HTTP, if that is not 200: a proxy may have sent it while the server is away.
  public var status: Int?

  public init(_ description: String, code: Int? = nil, status: Int? = nil) {
    (self.description, self.code, self.status) = (description, code, status)
  }
}
