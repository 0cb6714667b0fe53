internal import ByteIO

/// Addresses of network streams: those that the listener keeps, and those that were heard lately. Each list is a
/// playlist (m3u8) that people can edit.
public struct StreamList: Sendable, Hashable {
  /// An address, and what is there.
  public struct Stream: Sendable, Hashable {
    /// As it was written.
    public var address: String
    /// The station's name, or the one that the listener gave it.
    public var title: String?

    /// A stream.
    public init(_ address: String, title: String? = nil) { (self.address, self.title) = (address, title) }
  }

  /// Kept until the listener removes them, in his order.
  public private(set) var kept: [Stream] = []
  /// Heard lately, the last first; none that is kept.
  public private(set) var recent: [Stream] = []
  /// As many of these are remembered.
  public static let recentLimit = 50
  /// More have no place in a list to choose from.
  private static let keptLimit = 10_000

  /// None.
  public init() {}

  /// From the bytes of both playlists. What is no address in them is skipped.
  public init(kept: [UInt8], recent: [UInt8]) {
    self.kept = Array(Self.streams(in: kept).prefix(Self.keptLimit))
    self.recent = Array(Self.streams(in: recent).prefix(Self.recentLimit))
  }

  private static func streams(in document: [UInt8]) -> [Stream] {
    var addresses: Set<String> = []
    return PlaylistReader.items(in: document, format: .m3u).compactMap { item in
      guard case .url(let address) = MediaLocation(written: item.target, in: BytePath("")),
        addresses.insert(address).inserted
      else { return nil }
      return Stream(address, title: item.title)
    }
  }

  /// The bytes of a playlist.
  public static func bytes(of streams: [Stream]) -> [UInt8] {
    streams.reduce(into: Array("#EXTM3U\n".utf8)) { bytes, stream in
      // A title of several lines would become entries.
      if let title = stream.title?.split(whereSeparator: \.isNewline).joined(separator: " "), !title.isEmpty {
        bytes += Array("#EXTINF:-1,\(title)\n".utf8)
      }
      // A password that was written here by hand is kept.
      bytes += stream.address.utf8.filter { !Array("\r\n".utf8).contains($0) } + [UInt8(ascii: "\n")]
    }
  }

  /// Does what an edit says.
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
    }
  }

  /// A name that the listener chose is kept.
  private mutating func note(_ stream: Stream) {
    // Without name and password it may be another, or none.
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

/// A change of the addresses.
public enum StreamEdit: Sendable, Hashable {
  /// It can be heard.
  case heard(StreamList.Stream)
  /// The listener wants to keep it.
  case keep(StreamList.Stream)
  case rename(_ address: String, to: String)
  case remove(_ address: String)
}
