internal import AudioModel

// The silence that a cue sheet requires before and after a track, and that is not in the file.
extension TrackReader {
  /// Seeks to a frame of the track, exact to the sample; to the end if there are fewer frames. Returns the frame that
  /// `read` returns next.
  public func seek(toFrame frame: Int64) throws(TrackError) -> Int64 {
    let before = max(0, pregapFrames - max(0, frame))
    let wanted = max(0, max(0, frame) - pregapFrames)
    let reached = try seekInFile(toFrame: wanted)
    let after = min(wanted - reached, postgapFrames)
    (silenceBefore, silenceAfter) = (before, postgapFrames - after)
    return reached + pregapFrames - before + after
  }

  /// Writes up to `frameCount` frames of silence and subtracts them. Returns the number of bytes.
  func silence(_ frameCount: inout Int64, into output: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    guard frameCount > 0 else { return 0 }
    let count = min(frameCount, Int64(output.count / pcmFormat.bytesPerFrame))
    frameCount -= count
    let silence = UnsafeMutableRawBufferPointer(rebasing: output.prefix(decoding.byteCount(count)))
    silence.initializeMemory(as: UInt8.self, repeating: 0)
    return silence.count
  }

  var pregapFrames: Int64 { segment?.pregap.frame(atSampleRate: pcmFormat.sampleRate) ?? 0 }
  var postgapFrames: Int64 { segment?.postgap.frame(atSampleRate: pcmFormat.sampleRate) ?? 0 }
}
