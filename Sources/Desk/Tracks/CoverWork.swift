internal import ByteIO
internal import Commands
internal import Library
internal import Pictures
internal import Playback
internal import Streaming

/// Reads and decodes covers. On the thread of the covers.
struct CoverWork {
  private let servers: ServerCovers?

  init(servers: ServerCovers? = nil) { self.servers = servers }

  /// The tracks of an album have one cover: it is decoded once.
  private var latest: (cover: Cover, picture: Picture?, colors: PictureColors?, failure: String?)?

  mutating func cover(of entry: QueueEntry) -> Answer {
    let cover = cover(of: entry.location, side: ServerCovers.side)
    if cover?.bytes != latest?.cover.bytes {
      latest = cover.map { cover in
        do throws(PictureError) {
          let picture = try Picture(decoding: cover.bytes, sideLimit: ServerCovers.side)
          return (cover, picture, PictureColors(of: picture), nil)
        } catch {
          return (cover, nil, nil, error.description)
        }
      }
    }
    return .cover(latest?.picture, colors: latest?.colors, failure: latest?.failure, entryID: entry.id)
  }

  /// The cover; `nil` for a pipe, which can be read only once, by the engine.
  private func cover(of location: MediaLocation, side: Int) -> Cover? {
    guard let path = location.fileOnDisk else { return servers?.cover(of: location, side: side) }
    guard path != .standardInput, !path.isPipe else { return nil }
    return try? Cover.find(for: location)
  }

  // MARK: Orders

  enum Order: Sendable {
    /// The cover of the current track.
    case current(Asker, QueueEntry)
    /// The covers of albums in a list.
    case small(Asker, [BytePath])

    fileprivate var isCurrent: Bool { if case .current = self { true } else { false } }
  }

  /// Pixels of the longer side of a picture in a list.
  private static let smallSideLimit = 160

  /// The newest order of each kind, that for the current track first.
  static func chosen(_ orders: [Order]) -> [Order] {
    [orders.last(where: \.isCurrent), orders.last { !$0.isCurrent }].compactMap(\.self)
  }

  /// Reads one cover. Returns the answer, and an order for the others: a newer one may come before them.
  mutating func perform(_ order: Order) -> (reply: Reply?, rest: Order?) {
    switch order {
    case .current(let asker, let entry): return ((asker, cover(of: entry)), nil)
    case .small(let asker, let paths):
      guard let path = paths.first else { return (nil, nil) }
      let picture = cover(of: MediaLocation(libraryPath: path), side: Self.smallSideLimit)
        .flatMap { try? Picture(decoding: $0.bytes, sideLimit: Self.smallSideLimit) }
      let rest = paths.count > 1 ? Order.small(asker, Array(paths.dropFirst())) : nil
      return ((asker, .smallCover(picture, of: path)), rest)
    }
  }
}
