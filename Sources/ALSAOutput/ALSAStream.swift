internal import AudioModel
internal import AudioOutput
internal import Threads

/// A stream of an `ALSAOutput`: a ring of frames as the source renders them, a part of which the device holds.
///
/// A pause drops what the device holds; it is written again when playing continues, as after a change of the volume.
///
/// It has a thread, which sleeps until the device needs frames or a call changes the stream. Safety: stored variables are
/// used only under the monitor, which all streams of the output share.
final class ALSAStream: AudioOutputStream, @unchecked Sendable {
  private let format: PCMFormat
  private let source: any AudioOutputSource
  private let output: ALSAOutput
  private let monitor: Monitor
  private let steps: SteppedThread
  private let ring: FrameRing
  /// Frames as the device takes them, where it does not take those of the ring.
  private let converted: UnsafeMutableRawBufferPointer
  private static let chunk: Int64 = 4096
  /// The thread references the stream until it is closed.
  private var thread: WorkerThread?

  private var device: ALSADevice?
  private var isRunning = false
  /// True if the device plays its last frames and takes no others.
  private var isDraining = false
  /// True if the device takes no frames before it is prepared.
  private var isUnprepared = false
  private var isResumed = false
  private var mustDrain = false
  /// True if the source rendered fewer frames than were requested.
  private var isDry = false
  /// Its frame is the last one that the device is known to have played.
  private var playedClock = AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0)
  /// The frame that a device without a break has played at the last look, whatever it says.
  private var passedFrame: Int64 = 0
  /// The time of the last pause, or of the last frame that was heard.
  private var idleSince = MonotonicTime.zero
  private var isStalled = false

  init(format: PCMFormat, seconds: Double, source: any AudioOutputSource, output: ALSAOutput) {
    (self.format, self.source, self.output, monitor) = (format, source, output, output.monitor)
    steps = SteppedThread(output.monitor)
    ring = FrameRing(format, seconds: min(seconds, 0.5))
    converted = .allocate(byteCount: Int(Self.chunk) * format.channelCount * 4, alignment: 16)
    thread = WorkerThread(named: "alsa") { [output] in
      output.threadBegins()
      self.steps.run(self.step)
    }
  }

  deinit { converted.deallocate() }

  var clock: AudioClock { monitor.locked { playedClock } }

  func sourceHasFrames() { steps.apply { isDry = false } }

  func resume() { steps.apply { isResumed = true } }

  func pause() {
    steps.apply {
      isResumed = false
      halt()
    }
  }

  func flush() {
    steps.apply {
      mustDrain = false
      isDry = false
      halt()
      ring.written = ring.rendered
      stopClock(at: ring.rendered)
    }
  }

  func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard takeBack(to: frame) else { return false }
      steps.apply {
        mustDrain = false
        isDry = false
      }
      return true
    }
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      updateClock()
      // A little later than now, as `takeBack` checks the limit again.
      let target = min(
        ring.rendered, max(frame, isRunning ? playedClock.frame(at: .now) + 2 * safety : playedClock.frame))
      return rewind(toFrame: target) ? target : ring.rendered
    }
  }

  func drain() {
    steps.apply {
      mustDrain = true
      isDry = false
    }
  }

  func close() {
    steps.apply {
      steps.end()
      closeDevice()
    }
  }

  /// The device is free.
  func wake() { steps.apply() }

  /// Ends the present device; another one is opened when frames are to be played.
  func changeDevice() { steps.apply { closeDevice() } }

  /// Lets what was not heard have another gain.
  func changeGain() {
    steps.apply {
      updateClock()
      if isRunning, let device { ring.written -= device.rewind(ring.written - playedClock.frame, safety: safety) }
    }
  }

  // MARK: Under the monitor

  /// Performs the work that is due. Returns the time of the next work.
  private func step() -> MonotonicTime? {
    if isDraining, let device {
      guard device.drain() else { return .now + .milliseconds(5) }
      if mustDrain { return didDrain() }
      ranEmpty(at: ring.written)
    }
    updateClock()
    fill()
    if isResumed, mustDrain, isDry, ring.rendered == playedClock.frame, !isRunning { return didDrain() }
    if output.isWanted(by: self) { return giveBack() }
    guard isResumed, isRunning || ring.rendered > playedClock.frame else {
      return device == nil ? nil : restingDeadline
    }
    guard device != nil || openDevice() else { return nil }
    fill()
    guard let device else { return nil }  // It failed.
    if !isRunning, ring.written > playedClock.frame { start(device) }
    // It was suspended, perhaps, and is ready again soon.
    guard isRunning else { return ring.written < ring.rendered ? .now + .milliseconds(10) : nil }
    let held = ring.written - playedClock.frame
    if isDry, mustDrain, ring.written == ring.rendered, held <= safety {
      isDraining = !device.drain()
      return isDraining ? .now + .milliseconds(5) : didDrain()
    }
    // A device that writes a file plays faster than sound: it gets frames as long as the source has some.
    if held == 0, !isDry { return .now + .milliseconds(1) }
    let rest = isDry ? held - (mustDrain ? safety / 2 : 0) : held / 2
    return .now + .seconds(Double(max(rest, safety / 10)) / Double(format.sampleRate))
  }

  /// Frames that a device may have fetched already: 20 ms.
  private var safety: Int64 { Int64(format.sampleRate / 50) }

  private func stopClock(at frame: Int64) {
    playedClock = AudioClock(frame: frame, referenceTime: .now, framesPerSecond: 0)
  }

  /// Asks the device what was heard.
  private func updateClock() {
    guard isRunning, !isDraining, let device else { return }
    passedFrame = max(passedFrame, min(ring.written, playedClock.frame(at: .now)))
    switch device.fill {
    case .frames(_, let unheard):
      let now = MonotonicTime.now
      let frame = max(playedClock.frame, ring.written - unheard)
      let moves = frame > playedClock.frame
      if moves { idleSince = now }
      playedClock = AudioClock(
        frame: frame, referenceTime: now, framesPerSecond: isStalled && !moves ? 0 : format.sampleRate)
      if isStalled, moves {
        isStalled = false
        source.handle(.started)
      } else if !isStalled, frame < ring.written, now - idleSince > .seconds(2) {
        isStalled = true
        stopClock(at: frame)
        source.handle(.stalled)
      } else if frame == ring.rendered, isDry, !mustDrain {
        device.stop()
        ranEmpty(at: ring.written)
      }
    case let fill: recover(fill)
    }
  }

  /// The device does not play on by itself.
  private func recover(_ fill: ALSADevice.Fill) {
    switch fill {
    case .frames: break
    case .empty:
      // A plug-in that has run empty takes frames until it knows: they are written again.
      let frame = max(passedFrame, playedClock.frame(at: .now))
      let isWhole = device?.isHardware != false || frame + safety >= ring.written
      ranEmpty(at: isWhole ? ring.written : frame)
    case .lost:
      // The frames that it held are written again.
      stop(at: min(ring.written, playedClock.frame(at: .now)))
    case .gone(let error):
      let name = device?.name ?? ""
      stop(at: playedClock.frame)
      fail(
        AudioOutputError(.streamEnded, detail: "the sound card is gone (\(name): \(ALSADevice.words(of: error)))"))
    }
  }

  private func ranEmpty(at frame: Int64) {
    stop(at: isRunning ? frame : playedClock.frame)
    if !mustDrain || !isDry || playedClock.frame < ring.rendered { source.handle(.underrun) }
  }

  /// The device stands, and holds nothing.
  private func stop(at frame: Int64) {
    (isRunning, isDraining, isUnprepared, isStalled) = (false, false, true, false)
    (ring.written, passedFrame) = (frame, frame)
    idleSince = .now
    stopClock(at: frame)
  }

  /// Silences the device at the frame that is heard.
  private func halt() {
    idleSince = .now
    updateClock()
    guard let device, ring.written > playedClock.frame || isRunning else { return }
    device.stop()
    stop(at: playedClock.frame)
  }

  private func fail(_ error: AudioOutputError) {
    steps.end()
    closeDevice()
    source.handle(.failed(error))
  }

  private func didDrain() -> MonotonicTime? {
    stop(at: ring.rendered)
    mustDrain = false
    isResumed = false
    source.handle(.drained)
    return device == nil ? nil : restingDeadline
  }

  private func takeBack(to frame: Int64) -> Bool {
    updateClock()
    // A device that stands holds nothing that cannot be dropped.
    if !isRunning { halt() }
    guard frame >= playedClock.frame else { return false }
    if frame < ring.written, let device {
      guard !isDraining, frame >= playedClock.frame(at: .now) + safety else { return false }
      let wanted = ring.written - frame
      let taken = device.rewind(wanted, safety: safety)
      ring.written -= taken
      // Frames that were taken back in vain are written again.
      guard taken == wanted else { return false }
    }
    ring.rendered = min(ring.rendered, frame)
    return true
  }

  // MARK: The device

  /// The time at which a device that does not play is given back, or is asked for by another program.
  private var restingDeadline: MonotonicTime? {
    let end = idleSince + output.longPause
    if MonotonicTime.now >= end {
      closeDevice()
      return nil
    }
    return min(end, .now + .milliseconds(500))
  }

  private func closeDevice() {
    halt()
    device = nil
    output.giveBack(self)
  }

  /// Another program gets the card.
  private func giveBack() -> MonotonicTime? {
    let wasResumed = isResumed
    isResumed = false
    closeDevice()
    if wasResumed { source.handle(.pauseRequested) }
    return nil
  }

  /// Opens the device, unless another stream has it: then the end of that one wakes this stream.
  private func openDevice() -> Bool {
    guard output.take(for: self) else { return false }
    let opened = monitor.unlocked { output.open(format, seconds: Double(ring.capacity) / Double(format.sampleRate)) }
    guard !steps.isEnded else {
      output.giveBack(self)
      return false
    }
    switch opened {
    case .failure(let error):
      fail(error)
      return false
    case .success(let (device, route, reservation)):
      self.device = device
      output.keep(reservation)
      (isUnprepared, idleSince, ring.written) = (true, .now, playedClock.frame)
      source.handle(.routeChanged(route, isOldGone: false))
      steps.apply()  // Calls came meanwhile, perhaps.
      return !steps.isEnded && isResumed
    }
  }

  private func start(_ device: ALSADevice) {
    let error = device.start()
    guard error >= 0 else { return recover(.gone(error)) }
    isRunning = true
    idleSince = .now
    playedClock = AudioClock(frame: playedClock.frame, referenceTime: .now, framesPerSecond: format.sampleRate)
    source.handle(.started)
  }

  // MARK: Frames

  /// Renders frames into the ring and writes them to the device, as many as there is room for, or the whole ring once.
  private func fill() {
    var left = ring.capacity
    while !steps.isEnded {
      if ring.written < ring.rendered, isResumed, let device, write(device) > 0 { continue }
      let room = ring.room(heard: playedClock.frame, atMost: min(left, Self.chunk))
      guard !isDry, !room.isEmpty else { break }
      let byteCount = source.render(into: room)
      ring.rendered += Int64(byteCount / format.bytesPerFrame)
      left -= Int64(room.count / format.bytesPerFrame)
      isDry = byteCount < room.count
    }
  }

  /// Writes frames of the ring. Returns how many the device took.
  private func write(_ device: ALSADevice) -> Int64 {
    if isUnprepared {
      let error = device.prepare()
      guard error >= 0 else {
        recover(.gone(error))
        return 0
      }
      isUnprepared = false
    }
    let (frames, gain) = (ring.unwritten(atMost: Self.chunk), output.gain)
    let (taken, problem): (Int64, ALSADevice.Fill?)
    if gain == 1, device.conversion.isCopy {
      (taken, problem) = device.write(frames)
    } else {
      device.conversion.convert(frames, into: converted, gain: gain)
      let byteCount = frames.count / format.bytesPerFrame * device.conversion.bytesPerFrame
      (taken, problem) = device.write(UnsafeRawBufferPointer(rebasing: converted[..<byteCount]))
    }
    ring.written += taken
    if let problem { recover(problem) }
    // A device that is as fast as its writer has played them already.
    if taken > 0 { updateClock() }
    return taken
  }
}
