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
  private var latest: (cover: Cover, side: Int, picture: Picture?, colors: PictureColors?, failure: String?)?

  /// - Parameter side: Pixels of the longer side that are needed: a smaller picture is decoded in less time.
  mutating func cover(of entry: QueueEntry, side: Int = Inquiry.smallCoverSide) -> Answer {
    let cover = cover(of: entry.location, side: side)
    if cover?.bytes != latest?.cover.bytes || side > latest?.side ?? .max {
      latest = cover.map { cover in
        do throws(PictureError) {
          let picture = try Picture(decoding: cover.bytes, sideLimit: side)
          return (cover, side, picture, PictureColors(of: picture), nil)
        } catch {
          return (cover, side, nil, nil, error.description)
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
    case current(Asker, QueueEntry, side: Int = Inquiry.smallCoverSide)
    /// The covers of albums in a list.
    case small(Asker, [BytePath], side: Int)

    fileprivate var isCurrent: Bool { if case .current = self { true } else { false } }
  }

  /// The newest order of each kind, that for the current track first.
  static func chosen(_ orders: [Order]) -> [Order] {
    [orders.last(where: \.isCurrent), orders.last { !$0.isCurrent }].compactMap(\.self)
  }

  /// Reads one cover. Returns the answer, and an order for the others: a newer one may come before them.
  mutating func perform(_ order: Order) -> (reply: Reply?, rest: Order?) {
    switch order {
    case .current(let asker, let entry, let side): return ((asker, cover(of: entry, side: side)), nil)
    case .small(let asker, let paths, let side):
      guard let path = paths.first else { return (nil, nil) }
      let picture = cover(of: MediaLocation(libraryPath: path), side: side)
        .flatMap { try? Picture(decoding: $0.bytes, sideLimit: side) }
      let rest = paths.count > 1 ? Order.small(asker, Array(paths.dropFirst()), side: side) : nil
      return ((asker, .smallCover(picture, of: path, side: side)), rest)
    }
  }
}
