internal import AudioModel
internal import ByteIO
internal import Containers

/// The durations of the later links of a chained stream, which have another encoding. Found by indexing their packets.
struct FollowingLinks {
  /// The link that is being indexed.
  private var file: AudioFile?
  private var count = 0
  /// The sum of the known durations.
  private(set) var seconds = 0.0
  private(set) var areAllKnown = false

  /// The largest number of links that are indexed: a chain of albums has a hundred.
  private static let maximumCount = 1000

  /// Indexes about so many bytes more, of the links that begin at byte `start`. Returns true if there is nothing left
  /// to do. Throws if reading fails.
  mutating func advance(
    _ source: any ByteSource, from start: Int64, byteBudget: Int64
  ) throws(ContainerError) -> Bool {
    guard !areAllKnown, count < Self.maximumCount else { return true }
    do throws(ContainerError) {
      let link = if let file { file } else { try AudioFile(source: source, typeHint: .ogg, start: start) }
      file = link
      guard try link.advanceIndex(byteBudget: byteBudget) || link.isWaitingForBytes else { return false }
      let information = link.information
      seconds += information.duration ?? 0
      count += 1
      guard let next = information.continuationByteOffset, count < Self.maximumCount else {
        areAllKnown = information.continuationByteOffset == nil
        return true
      }
      file = try AudioFile(source: source, typeHint: .ogg, start: next)
      return false
    } catch {
      guard error.cause == nil else { throw error }
      // Playback stops at the same damage.
      areAllKnown = true
      return true
    }
  }
}
