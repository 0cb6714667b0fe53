internal import ByteIO
internal import Commands
internal import Library
internal import Pictures
internal import Playback
internal import Streaming

/// Reads and decodes covers. On the thread of the covers.
struct CoverWork {
  /// Pixels of the longer side of a picture: enough for a cover of half the screen.
  private static let sideLimit = 512

  /// The tracks of an album have one cover: it is decoded once.
  private var latest: (cover: Cover, picture: Picture?, colors: PictureColors?, failure: String?)?

  mutating func cover(of entry: QueueEntry) -> Answer {
    let cover = Self.cover(of: entry.location)
    if cover?.bytes != latest?.cover.bytes {
      latest = cover.map { cover in
        do throws(PictureError) {
          let picture = try Picture(decoding: cover.bytes, sideLimit: Self.sideLimit)
          return (cover, picture, PictureColors(of: picture), nil)
        } catch {
          return (cover, nil, nil, error.description)
        }
      }
    }
    return .cover(latest?.picture, colors: latest?.colors, failure: latest?.failure, entryID: entry.id)
  }

  /// The cover; `nil` for a pipe, which can be read only once, by the engine.
  private static func cover(of location: MediaLocation) -> Cover? {
    guard let path = location.fileOnDisk, path != .standardInput, !path.isPipe else { return nil }
    return try? Cover.find(for: location)
  }
}
