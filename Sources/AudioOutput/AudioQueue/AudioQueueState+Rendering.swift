internal import AudioModel

// Rendering frames for the device.
extension AudioQueueState {
  struct Step {
    var byteCount = 0
    /// The buffer that is used up, if one is.
    var returned: AudioQueueBuffer?
    /// True if no more frames are queued.
    var isDry = false
  }

  /// Renders one step: a part of the queued frames, or frames that a rewind of the device took back. `bytes` is not
  /// empty.
  mutating func render(into bytes: UnsafeMutableRawBufferPointer) -> Step {
    guard !isHeld else { return dry() }
    var step = Step()
    if renderedFrames < producedFrames {
      step.byteCount = history?.copy(from: renderedFrames, into: bytes) ?? 0
      if step.byteCount == 0 { renderedFrames = producedFrames }  // Never: the history had the frames at the rewind.
    } else {
      step = produce(into: bytes)
      history?.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(step.byteCount)))
      metered?.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(step.byteCount)))
      producedFrames += Int64(step.byteCount / format.bytesPerFrame)
    }
    guard step.byteCount > 0 else { return step }
    let rendered = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(step.byteCount))
    gain.apply(to: rendered, atDeviceFrame: renderedFrames)
    renderedFrames += Int64(step.byteCount / format.bytesPerFrame)
    return step
  }

  private mutating func dry() -> Step {
    isWaitedFor = true
    return Step(isDry: true)
  }

  /// Produces new frames, from one piece at most.
  private mutating func produce(into bytes: UnsafeMutableRawBufferPointer) -> Step {
    if conversion == nil, !pieces.isEmpty, !timePitch.isNeutral { beginConversion() }
    if let conversion { return convert(conversion, into: bytes) }
    guard !pieces.isEmpty else { return dry() }
    begin()
    let frames = pieces[0].frames.prefix(bytes.count / format.bytesPerFrame)
    let byteCount = frames.count * format.bytesPerFrame
    read(frames, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount]))
    return Step(byteCount: byteCount, returned: consume(frames.count).returned)
  }

  /// Sets the parameters of the first piece.
  private mutating func begin() {
    guard !pieces[0].parameters.isEmpty else { return }
    for parameter in pieces[0].parameters { set(parameter, atDeviceFrame: producedFrames) }
    pieces[0].parameters = []
  }

  private func read(_ frames: Range<Int>, into bytes: UnsafeMutableRawBufferPointer) {
    guard let buffer = pieces[0].buffer else {
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return
    }
    let size = format.bytesPerFrame
    let range = frames.lowerBound * size..<frames.upperBound * size
    bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer.bytes[range]))
  }

  /// Removes frames from the first piece. Returns its buffer if it is used up, and true if unrelated buffers follow.
  private mutating func consume(_ frameCount: Int) -> (returned: AudioQueueBuffer?, isLast: Bool) {
    sourceTime += Int64(frameCount)
    queuedFrames -= Int64(frameCount)
    let piece = pieces[0]
    guard frameCount == piece.frames.count else {
      pieces[0].frames = piece.frames.dropFirst(frameCount)
      return (nil, false)
    }
    pieces.removeFirst()
    piece.buffer?.isQueued = false
    return (piece.buffer, piece.isLast)
  }

  // MARK: Other speeds

  private mutating func beginConversion() {
    let converter: (any RateConverter)? = timePitch.algorithm == .varispeed ? varispeed : rubberBand
    // The setter of the algorithm has created it.
    guard let converter else { return timePitch.isBypassed = true }
    conversion = Conversion(timePitch, converter, format: format)
    map.resume(atDeviceFrame: producedFrames, time: sourceTime, rate: timePitch.effectiveRate)
  }

  private mutating func convert(_ conversion: Conversion, into bytes: UnsafeMutableRawBufferPointer) -> Step {
    if let end = conversion.end {
      if producedFrames >= end {
        self.conversion = nil
        map.resume(atDeviceFrame: producedFrames, time: sourceTime, rate: 1)
        return Step()
      }
      let limit = Int(min(end - producedFrames, Int64(bytes.count / format.bytesPerFrame))) * format.bytesPerFrame
      let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<limit])
      let byteCount = conversion.take(into: part)
      if byteCount > 0 { return Step(byteCount: byteCount) }
      if conversion.putSilence() { return Step() }
      part.initializeMemory(as: UInt8.self, repeating: 0)
      return Step(byteCount: limit)
    }
    let byteCount = conversion.take(into: bytes)
    if byteCount > 0 { return Step(byteCount: byteCount) }
    guard !pieces.isEmpty else {
      if isStopping { finishConversion() }
      return isStopping ? Step() : dry()
    }
    guard conversion.timePitch == timePitch else {
      finishConversion()
      return Step()
    }
    begin()
    let frames = pieces[0].frames.prefix(rateConverterChunk)
    conversion.put(frames.count) { read(frames, into: $0) }
    let (returned, isLast) = consume(frames.count)
    if isLast { finishConversion() }
    return Step(returned: returned)
  }

  /// Ends the conversion after the output of all its input.
  mutating func finishConversion() {
    guard let conversion, conversion.end == nil else { return }
    conversion.end = map.deviceFrame(atTime: sourceTime)
  }
}

extension AudioQueueState {
  /// Starts or stops to keep the device's latest frames for reading, in `spare` if there is no history. Returns the
  /// memory that is not needed.
  mutating func setMetering(_ isOn: Bool, in spare: SampleHistory?) -> SampleHistory? {
    guard isOn != isMetering else { return spare }
    isMetering = isOn
    let old = metered
    metered = spare
    metered?.clear(nextFrame: producedFrames)
    return old
  }

  /// Copies kept frames of the device into `bytes`, as far as they fit: those that `range` chooses, given the frame
  /// that is heard. Returns the first one and the number of bytes; 0 bytes if nothing is heard.
  func copyFrames(
    heard frame: Int64, into bytes: UnsafeMutableRawBufferPointer, _ range: (Int64) -> Range<Int64>
  ) -> (first: Int64, byteCount: Int) {
    guard isMetering, isStarted, !isPaused, frame <= renderedFrames, let kept = history ?? metered else {
      return (frame, 0)
    }
    let range = range(frame).clamped(to: kept.frames)
    let byteLimit = min(bytes.count, range.count * format.bytesPerFrame)
    var byteCount = 0
    while byteCount < byteLimit {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount..<byteLimit])
      let copied = kept.copy(from: range.lowerBound + Int64(byteCount / format.bytesPerFrame), into: rest)
      guard copied > 0 else { break }
      byteCount += copied
    }
    return (range.lowerBound, byteCount)
  }
  /// The device will not play the frames from that one on.
  func noteUnheard(from deviceFrame: Int64) {
    (history ?? metered)?.unheard = min(deviceFrame, renderedFrames)..<renderedFrames
  }

  /// Copies kept frames from `frame` on into `bytes`, as far as they fit: up to the frame that is heard, without those
  /// that were dropped. Returns the first one and the number of bytes.
  func copyFrames(
    from frame: Int64, heard: Int64, into bytes: UnsafeMutableRawBufferPointer
  ) -> (first: Int64, byteCount: Int) {
    guard isMetering, let kept = history ?? metered else { return (frame, 0) }
    var first = max(frame, kept.frames.lowerBound)
    var end = min(heard, renderedFrames, kept.frames.upperBound)
    if kept.unheard.contains(first) { first = kept.unheard.upperBound }
    if first < kept.unheard.lowerBound { end = min(end, kept.unheard.lowerBound) }
    guard first < end else { return (first, 0) }
    let limit = Int(min(end - first, Int64(bytes.count / format.bytesPerFrame))) * format.bytesPerFrame
    return (first, kept.copy(from: first, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<limit])))
  }
}
