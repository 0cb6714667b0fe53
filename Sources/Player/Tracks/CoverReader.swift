internal import ByteIO
internal import Library
internal import Pictures
internal import Playback
internal import Streaming
internal import Threads

/// Reads and decodes covers at the lowest priority, so that sound and keys never wait for a picture. Main thread.
final class CoverReader {
  /// The cover of an entry, and its colours; `nil` without one.
  typealias Finding = (id: QueueEntry.ID, cover: Picture?, colors: PictureColors?)

  /// Pixels of the longer side of a picture: enough for a cover of half the screen.
  private static let sideLimit = 512

  private let worker: Worker<QueueEntry, Finding>

  /// - Parameter ring: Called on the thread when there is something to take.
  init(ring: @escaping @Sendable () -> Void) {
    worker = Worker(named: "covers", order: .onlyNewest, isInBackground: true, ring: ring) {
      // The tracks of an album have one cover: it is decoded once.
      var latest: (cover: Cover, picture: Picture?, colors: PictureColors?)?
      return { entry, post in
        let cover = Self.cover(of: entry.location)
        if cover?.bytes != latest?.cover.bytes {
          latest = cover.map { cover in
            let picture = try? Picture(decoding: cover.bytes, sideLimit: Self.sideLimit)
            return (cover, picture, picture.map { PictureColors(of: $0) })
          }
        }
        post((entry.id, latest?.picture, latest?.colors))
      }
    }
  }

  /// Requests the cover of an entry instead of any earlier one.
  func request(_ entry: QueueEntry) { worker.request(entry) }

  /// The results since the last call.
  func take() -> [Finding] { worker.take() }

  /// The cover; `nil` for a pipe, which can be read only once, by the engine.
  private static func cover(of location: MediaLocation) -> Cover? {
    guard let path = location.fileOnDisk, path != .standardInput, !path.isPipe else { return nil }
    return try? Cover.find(for: location)
  }
}
