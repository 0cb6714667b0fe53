internal import AudioModel

// Rendering frames for the device.
extension AudioQueueState {
  /// The result of one step of rendering.
  struct Step {
    var byteCount = 0
    /// The buffer that is used up, if one is.
    var returned: AudioQueueBuffer?
    /// True if no more frames are queued.
    var isDry = false
  }

  /// Renders one step: a part of the queued frames, or frames of which the device was rewound. `bytes` is not empty.
  mutating func render(into bytes: UnsafeMutableRawBufferPointer) -> Step {
    guard !isHeld else { return dry() }
    var step = Step()
    if renderedFrames < producedFrames {
      step.byteCount = history?.copy(from: renderedFrames, into: bytes) ?? 0
      if step.byteCount == 0 { renderedFrames = producedFrames }  // Never: the history had the frames at the rewind.
    } else {
      step = produce(into: bytes)
      history?.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(step.byteCount)))
      monitored?.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(step.byteCount)))
      producedFrames += Int64(step.byteCount / format.bytesPerFrame)
    }
    guard step.byteCount > 0 else { return step }
    let rendered = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(step.byteCount))
    gain.apply(to: rendered, atDeviceFrame: renderedFrames)
    if isMetering { meter.measure(UnsafeRawBufferPointer(rendered), atDeviceFrame: renderedFrames) }
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
  /// Starts to measure, including the frames of the device's buffer, or stops.
  mutating func setMetering(_ isOn: Bool) {
    guard isOn != isMetering else { return }
    isMetering = isOn
    guard isOn, let history else { return }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096 * format.bytesPerFrame, alignment: 16)
    defer { bytes.deallocate() }
    var frame = history.frames.lowerBound
    while case let byteCount = history.copy(from: frame, into: bytes), byteCount > 0, frame < renderedFrames {
      let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
      gain.apply(to: part, atDeviceFrame: frame)
      meter.measure(UnsafeRawBufferPointer(part), atDeviceFrame: frame)
      frame += Int64(byteCount / format.bytesPerFrame)
    }
  }

  /// Starts to keep the frames that the device gets from now on, for `seconds`, or stops.
  mutating func setMonitoring(_ isOn: Bool, seconds: Double) {
    guard isOn != (monitored != nil) else { return }
    monitored = isOn ? SampleHistory(format: format, seconds: seconds, firstFrame: producedFrames) : nil
  }

  /// The last frames before a frame of the device, at most that number, as interleaved samples. Empty if they were not kept.
  func monitored(frameCount: Int, beforeDeviceFrame end: Int64) -> [Float] {
    guard let monitored else { return [] }
    let end = min(end, monitored.frames.upperBound)
    let start = max(monitored.frames.lowerBound, end - Int64(frameCount))
    guard start < end else { return [] }
    let count = Int(end - start) * format.channelCount
    return [Float](unsafeUninitializedCapacity: count) { samples, initializedCount in
      var frame = start
      while initializedCount < count {
        let bytes = monitored.bytes(from: frame)
        guard !bytes.isEmpty else { break }
        let part = UnsafeMutableBufferPointer(rebasing: samples[initializedCount..<count])
        format.sampleFormat.load(bytes, into: part)
        let frameCount = min(bytes.count / format.bytesPerFrame, Int(end - frame))
        initializedCount += frameCount * format.channelCount
        frame += Int64(frameCount)
      }
    }
  }
}
