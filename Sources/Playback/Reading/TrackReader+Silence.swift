internal import AudioModel

// The silence that a cue sheet asks for before a track and after it, which is none of the file's.
extension TrackReader {
  /// Continues with frame `frame` of what is played, exact to the sample; at the end if there are fewer. Returns the
  /// frame that `read` gives next.
  public func seek(toFrame frame: Int64) throws(TrackError) -> Int64 {
    let before = max(0, pregapFrames - max(0, frame))
    let wanted = max(0, max(0, frame) - pregapFrames)
    let reached = try seekInFile(toFrame: wanted)
    let after = min(wanted - reached, postgapFrames)
    (silenceBefore, silenceAfter) = (before, postgapFrames - after)
    return reached + pregapFrames - before + after
  }

  /// Fills as much of `output` as `frameCount` allows, which becomes less. Returns the bytes.
  func silence(_ frameCount: inout Int64, into output: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    guard frameCount > 0 else { return 0 }
    let count = min(frameCount, Int64(output.count / pcmFormat.bytesPerFrame))
    frameCount -= count
    let silence = UnsafeMutableRawBufferPointer(rebasing: output.prefix(byteCount(count)))
    silence.initializeMemory(as: UInt8.self, repeating: 0)
    return silence.count
  }

  var pregapFrames: Int64 { segment?.pregap.frame(atSampleRate: pcmFormat.sampleRate) ?? 0 }
  var postgapFrames: Int64 { segment?.postgap.frame(atSampleRate: pcmFormat.sampleRate) ?? 0 }
}
