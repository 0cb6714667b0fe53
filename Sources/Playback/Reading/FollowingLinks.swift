internal import AudioModel
internal import ByteIO
internal import Containers

/// How long the links of a chained stream last that follow one in another encoding: found by looking for their packets.
struct FollowingLinks {
  /// The link whose packets are being looked for.
  private var file: AudioFile?
  private var count = 0
  /// Seconds of those that are known.
  private(set) var seconds = 0.0
  /// True if that is all.
  private(set) var areAllKnown = false

  /// More are not looked at: a chain of albums has a hundred.
  private static let maximumCount = 1000

  /// Looks at about so many bytes more, of the links that begin at byte `start`; returns whether there is nothing left to
  /// do. Throws if reading fails.
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
      // Playback meets the same damage, and stops there.
      areAllKnown = true
      return true
    }
  }
}
