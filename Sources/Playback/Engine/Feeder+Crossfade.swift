internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import SignalProcessing

// Two tracks that are heard together where they meet. The next one is opened before the end of the one that is read. Of the
// same format, it is mixed with that end before it is queued, so that all that takes place in a queue (pause, speed, a
// server that dies) knows nothing of it. Of another, both fade on streams of their own, which the server mixes: the end is
// queued as a whole, and the next stream's lead-in leads to where it begins (`Feeder+LeadIn`).
//
// The next track is what is shown, sought in and passed over as soon as it is heard.
extension Feeder {
  /// What is to be done with the track that is being read.
  enum Approach: Equatable {
    /// Read on, so many frames at most.
    case read(atMost: Int)
    /// Nothing until more is known.
    case wait
    /// Look again.
    case again
  }

  private var crossfadeWanted: Double { isLooped ? 0 : crossfade }

  /// Opens what follows a track where it is to be heard beside its end, and begins with it there.
  func approach(_ track: LoadedTrack) -> Approach {
    guard crossfadeWanted > 0, track.exit == nil, let end = track.reader.frameCount else { return .read(atMost: .max) }
    let rate = Double(track.reader.pcmFormat.sampleRate)
    // A short track is heard alone in its middle.
    let wanted = min(Int64(crossfadeWanted * rate), (end - track.enteredFrame) / 2)
    let left = end - track.nextFrame
    guard left <= wanted else { return .read(atMost: Int(clamping: left - wanted)) }
    if successor == nil {
      guard let following else { return .wait }
      // A network stream that comes too late follows without a gap, as far as it can, a cue sheet's next track always.
      guard let entry = following, !track.entry.location.isFollowed(by: entry.location), isReadyToOpen(entry) else {
        return .read(atMost: .max)
      }
      let next = open(entry)
      reading = track
      successor = next
      return .again
    }
    let seconds = Double(left) / rate + configuration.bufferSeconds
    guard let next = successor, next.enteredFrame == 0, next.reader.isReady(seconds: seconds, inSteps: false),
      !track.reader.information.tags.isFollowed(by: next.reader.information.tags)
    else { return .read(atMost: .max) }
    let nextHalf = next.reader.frameCount.map { Double($0) / 2 * rate / Double(next.reader.pcmFormat.sampleRate) }
    let frameCount = min(wanted, left, nextHalf.flatMap { Int64(exactly: $0.rounded(.down)) } ?? .max)
    guard Double(frameCount) > rate / 50 else { return .read(atMost: .max) }
    guard left <= frameCount else { return .read(atMost: Int(clamping: left - frameCount)) }
    cross(track, next, frameCount)
    return .again
  }

  private func cross(_ track: LoadedTrack, _ next: LoadedTrack, _ frameCount: Int64) {
    let format = track.reader.pcmFormat
    let overlap = LoadedTrack.Overlap(
      start: track.nextFrame, fade: Crossfade(.equalPower, frameCount: frameCount, format: format))
    guard next.reader.pcmFormat == format else { return track.exit = overlap }
    next.entrance = LoadedTrack.Entrance(overlap: overlap, leaving: track)
    successor = nil
    begin(reading: next)
  }

  /// The next track is read, from where it begins.
  func begin(reading next: LoadedTrack) {
    if let last = timeline.last ?? outgoing?.timeline.last { fadeIn(next, beside: last.track) }
    reading = next
    entering = next.enteredFrame
    announcesTrack = true
  }

  /// Fades a track in on a stream of its own where the one before fades out on its.
  private func fadeIn(_ next: LoadedTrack, beside last: LoadedTrack) {
    let format = next.reader.pcmFormat
    guard let exit = last.exit, format != last.reader.pcmFormat else { return }
    let seconds = Double(exit.fade.frameCount) / Double(last.reader.pcmFormat.sampleRate)
    let fade = Crossfade(.equalPower, frameCount: Int64(seconds * Double(format.sampleRate)), format: format)
    next.entrance = LoadedTrack.Entrance(overlap: LoadedTrack.Overlap(start: exit.start, fade: fade), leaving: nil)
  }

  /// A track that faded in has ended or failed before the one that leaves: that is heard to its end, fading, or as if
  /// there had been nothing where nothing was mixed yet.
  func readRest(behind track: LoadedTrack) {
    guard reading == nil, let entrance = track.entrance, let leaving = entrance.leaving,
      track.nextFrame < track.entranceEnd
    else { return }
    if entering == nil { leaving.exit = entrance.overlap }
    reading = leaving
    entering = nil
    announcesTrack = false
  }

  /// Goes on reading a track whose end was mixed with a track that is not to follow it any more.
  func readEnd(of track: LoadedTrack, before next: LoadedTrack?) {
    let mixed = next?.entrance.flatMap { $0.leaving === track ? $0.overlap : nil }
    guard let overlap = mixed ?? track.exit else { return }
    track.exit = nil
    do throws(TrackError) {
      _ = try track.goBack(toFrame: overlap.start, sound, fades: false)
      reading = track
    } catch { fail(track.entry, error) }
  }

  /// Changes how tracks meet. An overlap that is heard already goes on; one that is to come is taken back.
  func changeCrossfade(_ change: () -> Void) {
    let before = crossfadeWanted
    change()
    let segments = audibleTimeline.segments
    guard crossfadeWanted != before, !dropsQueued, let first = segments.first,
      first.track.exit != nil || segments.dropFirst().first?.track.entrance != nil
    else { return }
    if takeBack(behind: 0) { askForNext(after: first.track) }
  }

  /// A buffer that can be filled. What fades out on its own stream is queued as a whole, in buffers of its own.
  func bufferToFill(_ track: LoadedTrack, _ queue: AudioQueue) -> AudioQueueBuffer? {
    if track.exit != nil { return newBuffer(queue) }
    // One is kept back, so that a seek, or another sound, can be read before what is queued is dropped.
    return freeBuffers.count > (dropsQueued ? 0 : 1) ? freeBuffers.popLast() : nil
  }

  func newBuffer(_ queue: AudioQueue) -> AudioQueueBuffer? {
    try? queue.allocateBuffer(frameCapacity: frameCount(configuration.bufferSeconds, queue))
  }
}

extension Timeline<LoadedTrack>.Segment {
  /// Where its track begins to fade out on its own stream, if it does.
  var queueFrameOfExit: Int64? { track.exit.map { queueFrame + $0.start - trackFrame } }
}
