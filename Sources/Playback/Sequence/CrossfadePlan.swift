internal import AudioModel
internal import ByteIO
internal import Containers

/// The entry after another one.
enum FollowingEntry: Sendable, Hashable {
  /// The question is not answered yet.
  case unknown
  case end
  case entry(QueueEntry)
}

/// The plan for the end of a track: the frames that play alone, and the crossfade with the next track.
struct CrossfadePlan<Track: SequenceTrack> {
  /// The track that is read.
  var track: Track
  /// The next track, if it is open.
  var successor: Track?
  var following: FollowingEntry
  /// The wanted length of the overlap.
  var seconds: Double
  /// The length of a buffer: the next track must have arrived as far.
  var bufferSeconds: Double

  /// The next piece of work.
  var step: CrossfadeStep<Track> {
    guard seconds > 0, track.fadeOutStart == nil, let end = track.frameCount else { return stepToEnd }
    // The middle of a short track plays alone.
    let wanted = min(Int64(seconds * rate), (end - track.enteredFrame) / 2)
    let left = end - track.nextFrame
    guard left <= wanted else { return .read(atMost: Int(clamping: left - wanted)) }
    guard let successor else { return stepWithoutSuccessor }
    guard successor.enteredFrame == 0, successor.isReady(seconds: Double(left) / rate + bufferSeconds),
      !track.isFollowed(by: successor)
    else { return .read(atMost: .max) }
    let frameCount = min(wanted, left, half(of: successor) ?? .max)
    guard Double(frameCount) > rate / 50 else { return .read(atMost: .max) }
    guard left <= frameCount else { return .read(atMost: Int(clamping: left - frameCount)) }
    return .mix(with: successor, frameCount: frameCount)
  }

  private var rate: Double { Double(track.format.sampleRate) }

  /// Reads to the end without a crossfade. The next track is opened before, if it completes the last frames.
  private var stepToEnd: CrossfadeStep<Track> {
    guard track.frameCountToJoin > 0, track.fadeOutStart == nil, successor == nil, let end = track.frameCount,
      case .entry(let entry) = following, entry.location.webTrack == nil
    else { return .read(atMost: .max) }
    let left = end - track.nextFrame
    guard left <= track.frameCountToJoin else { return .read(atMost: Int(clamping: left - track.frameCountToJoin)) }
    return .open(SequenceOpening(entry: entry, purpose: .next))
  }

  private var stepWithoutSuccessor: CrossfadeStep<Track> {
    switch following {
    case .unknown: .wait
    // The next track of a cue sheet always follows without a gap.
    case .entry(let entry) where !track.entry.location.isFollowed(by: entry.location):
      .open(SequenceOpening(entry: entry, purpose: .next))
    case .entry, .end: stepToEnd
    }
  }

  /// Half the length of the next track, in frames of this one.
  private func half(of next: Track) -> Int64? {
    let half = next.frameCount.map { Double($0) / 2 * rate / Double(next.format.sampleRate) }
    return half.flatMap { Int64(exactly: $0.rounded(.down)) }
  }
}
