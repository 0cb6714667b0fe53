internal import AudioModel
internal import SignalProcessing

// The overlap of two tracks. Of the same format, the next track is mixed with the end of the track before, so that
// everything on the queue (pause, speed, a lost server) needs no knowledge of it. Of another format, both fade on
// streams of their own, which the server mixes.
extension LoadedTrack {
  /// Begins the crossfade with the next track at the frame that is read next. Returns true if the next track is mixed
  /// in and has to be read from now on; otherwise this one is read to its end, fading out.
  func cross(with next: LoadedTrack, frameCount: Int64) -> Bool {
    let overlap = Overlap(
      start: nextFrame, fade: Crossfade(.equalPower, frameCount: frameCount, format: format))
    guard next.format == format else {
      fadeOut = overlap
      return false
    }
    next.fadeIn = FadeIn(overlap: overlap, outgoing: self)
    return true
  }

  /// Completes its last frames with the first ones of the next track, if that one is in the same stream.
  func join(_ next: LoadedTrack?) {
    let isNext = next.map { $0.format == format && $0.enteredFrame == 0 && !$0.reader.needsIndexToBegin } ?? false
    shaped.next = isNext ? next?.shaped : nil
  }

  /// Fades in on a stream of its own if the track before fades out on its stream.
  func beginFadeIn(after last: LoadedTrack?) {
    guard let last, let fadeOut = last.fadeOut, format != last.format else { return }
    let seconds = Double(fadeOut.fade.frameCount) / Double(last.format.sampleRate)
    let fade = Crossfade(.equalPower, frameCount: Int64(seconds * Double(format.sampleRate)), format: format)
    fadeIn = FadeIn(overlap: Overlap(start: fadeOut.start, fade: fade), outgoing: nil)
  }

  /// The track before, if this one faded in and ended or failed before the end of the overlap. `isMixed`: true if a
  /// part of the overlap is queued already, so that the rest fades, too.
  func outgoingBehindEnd(isMixed: Bool) -> LoadedTrack? {
    guard let fadeIn, let outgoing = fadeIn.outgoing, nextFrame < fadeInEnd else { return nil }
    if !fadeIn.outgoingBytes.isEmpty {
      // The former track was read for more frames than this one has.
      _ = try? outgoing.goBack(
        toFrame: fadeIn.overlap.start + nextFrame, outgoing.shaped.settings, fades: false)
    }
    if isMixed { outgoing.fadeOut = fadeIn.overlap }
    return outgoing
  }

  /// Goes back to the start of an overlap with a track that no longer follows. Returns true if there was an overlap.
  func removeOverlap(with next: LoadedTrack?, _ sound: SoundSettings) throws(TrackError) -> Bool {
    let mixed = next?.fadeIn.flatMap { $0.outgoing === self ? $0.overlap : nil }
    guard let overlap = mixed ?? fadeOut else { return false }
    fadeOut = nil
    _ = try goBack(toFrame: overlap.start, sound, fades: false)
    return true
  }
}
