internal import AudioModel
internal import ByteIO

/// Addresses of network streams: saved ones and recent ones. Each list is a playlist (m3u8) that users can edit.
public struct StreamList: Sendable, Hashable {
  public struct Stream: Sendable, Hashable {
    /// The address as written.
    public var address: String
    /// The station's name, or the one that the listener gave it.
    public var title: String?

    public init(_ address: String, title: String? = nil) { (self.address, self.title) = (address, title?.visible) }
  }

  /// Saved streams, in the listener's order.
  public private(set) var kept: [Stream] = []
  /// Recent streams that are not saved, the latest first.
  public private(set) var recent: [Stream] = []
  /// Those that servers of music offer: they cannot be changed here.
  public var served: [Stream] = [] {
    didSet {
      let known = Set(kept.map(\.address))
      served.removeAll { known.contains($0.address) }
    }
  }
  /// The saved ones, those of servers, then the other recent ones: each address once.
  public var all: [Stream] {
    let known = Set(served.map(\.address))
    return kept + served + recent.filter { !known.contains($0.address) }
  }
  public static let recentLimit = 50
  /// The largest number of saved streams that a list shows.
  private static let keptLimit = 10_000

  public init() {}

  /// Reads the bytes of both playlists. Skips lines that are not addresses.
  public init(kept: [UInt8], recent: [UInt8]) {
    self.kept = StreamDocument(kept, limit: Self.keptLimit).streams
    self.recent = StreamDocument(recent, limit: Self.recentLimit).streams
  }

  /// The bytes of a playlist; with the comments and attributes of an older one, at their places.
  public static func bytes(of streams: [Stream], keeping document: [UInt8] = []) -> [UInt8] {
    StreamDocument(document, limit: keptLimit).bytes(of: streams)
  }

  public mutating func apply(_ edit: StreamEdit) {
    switch edit {
    case .heard(let stream): note(stream)
    case .keep(var stream):
      stream.address = stream.address.withoutUserInfo
      let title = stream.title ?? recent.first { $0.address == stream.address }?.title
      recent.removeAll { $0.address == stream.address }
      if let index = kept.firstIndex(where: { $0.address == stream.address }) {
        kept[index].title = title ?? kept[index].title
      } else {
        kept.append(Stream(stream.address, title: title))
      }
    case .rename(let address, let title):
      for index in kept.indices where kept[index].address == address { kept[index].title = title }
      for index in recent.indices where recent[index].address == address { recent[index].title = title }
    case .remove(let address):
      kept.removeAll { $0.address == address }
      recent.removeAll { $0.address == address }
    case .restore(let removed):
      var known = Set((kept + recent).map(\.address))
      for row in removed where known.insert(row.stream.address).inserted {
        if row.isKept {
          kept.insert(row.stream, at: min(row.index, kept.count))
        } else {
          recent.insert(row.stream, at: min(row.index, recent.count))
        }
      }
    }
  }

  /// Records a stream that was heard. A name that the listener chose stays.
  private mutating func note(_ stream: Stream) {
    // The same address without name and password may be another stream.
    guard stream.address.withoutUserInfo == stream.address else { return }
    if let index = kept.firstIndex(where: { $0.address == stream.address }) {
      kept[index].title = kept[index].title ?? stream.title
      return
    }
    let title = recent.first { $0.address == stream.address }?.title ?? stream.title
    recent.removeAll { $0.address == stream.address }
    recent.insert(Stream(stream.address, title: title), at: 0)
    recent.removeLast(max(0, recent.count - Self.recentLimit))
  }
}

public enum StreamEdit: Sendable, Hashable {
  case heard(StreamList.Stream)
  case keep(StreamList.Stream)
  /// Renames a stream; `nil` leaves it without a name.
  case rename(_ address: String, to: String?)
  case remove(_ address: String)
  /// Brings removed streams back to their places; ascending by index.
  case restore([Removed])

  public struct Removed: Sendable, Hashable {
    public var stream: StreamList.Stream
    public var index: Int
    /// True if it was saved, false if it was a recent one.
    public var isKept: Bool

    public init(_ stream: StreamList.Stream, index: Int, isKept: Bool) {
      (self.stream, self.index, self.isKept) = (stream, index, isKept)
    }
  }
}
