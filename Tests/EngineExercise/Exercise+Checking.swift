import AudioModel
import AudioOutput
import ByteIO
import Playback
import SignalProcessing

// Rules that must hold.
extension Exercise {
  func check() throws(Failure) {
    let snapshot = engine.snapshot
    let position = snapshot.position(at: clock.now)
    trace?("\(snapshot.state) \(snapshot.reason) \(snapshot.entry?.id ?? 0) \(position) \(snapshot.clock.isRunning)")
    guard position.isFinite, position >= 0 else { throw fail("position \(position)") }
    if let duration = snapshot.information.duration, !snapshot.information.durationIsEstimated, snapshot.entry != nil {
      guard position <= duration + 0.51 else { throw fail("position \(position) of \(duration) s") }
    }
    let open = output.openStreams
    guard open.count <= 6 else { throw fail("\(open.count) streams") }
    let left = snapshot.state == .stopped ? open.count { !$0.isPlayingOut } : 0
    guard left == 0 else { throw fail("stopped, with \(left) streams") }
    if snapshot.state == .paused, let loud = open.first(where: \.isAdvancing) {
      throw fail("paused, and stream \(loud.number) plays")
    }
    try checkSamples(snapshot, at: position)
  }

  /// The audio matches the position, if the samples are those of a file.
  private func checkSamples(_ snapshot: PlaybackSnapshot, at position: Double) throws(Failure) {
    guard setup.isPure, snapshot.state == .playing, snapshot.clock.isRunning, let entry = snapshot.entry,
      let file = file(of: entry), file.location.name.hasSuffix(".wav"), !file.samples.isEmpty
    else { return }
    let size = file.format.bytesPerFrame
    let frame = Int((position * Double(file.format.sampleRate)).rounded())
    let candidates = output.openStreams.filter { $0.isAdvancing && $0.format == file.format && !$0.ahead.isEmpty }
    guard !candidates.isEmpty else { return }
    // Clocks of two streams are compared to the frame, with rounding.
    let wanted = (max(0, frame - 2)...frame + 2).map { file.samples.dropFirst($0 * size).prefix(size) }
    let isHeard =
      frame * size >= file.samples.count
      || candidates.contains { stream in
        (0..<3).contains { place in
          let ahead = stream.ahead.dropFirst(place * size).prefix(size)
          return wanted.contains { $0.elementsEqual(ahead) }
        }
      }
    guard isHeard else { throw fail("at frame \(frame) of \(entry.location.name) something else is heard") }
  }

  /// One line for each stream: how many bytes were played, and a checksum of them.
  public var digest: [String] {
    output.streams.map { stream in
      // FNV-1a, 64 bits.
      let checksum = stream.heard.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return "stream \(stream.number): \(stream.heard.count) bytes, \(checksum)"
    }
  }

  // MARK: The end

  /// Takes all that keeps it from playing away, and lets it play to the end of its queue.
  func playToTheEnd() throws(Failure) {
    neutralize()
    list.append(newEntry(0))
    tellNext()
    try advance(milliseconds: 50)
    isRecording = true
    began = []
    var start = engine.snapshot.entry
    if engine.snapshot.state == .stopped, let first = list.first {
      start = first
      engine.send(.play(first, from: 0))
    }
    let wanted = start.flatMap { start in list.firstIndex { $0.id == start.id } }.map { list[$0...].map(\.id) }
    try advance(milliseconds: 0)
    let streamCount = output.streams.count
    var seconds = 0
    while engine.snapshot.state != .stopped {
      try advance(milliseconds: 1000)
      seconds += 1
      // The loss of a stream that waits for its turn is told at that turn.
      if engine.snapshot.reason == .routeLost { engine.send(.resume) }
      guard seconds < 300 else {
        throw fail("does not come to its end: \(engine.snapshot.state) \(engine.snapshot.reason)")
      }
    }
    // Nothing follows a track that was removed while it was about to play; it may fail.
    let mayFail = wanted == nil && start.map { failed.contains($0.id) } == true
    guard engine.snapshot.reason == .finished || mayFail && engine.snapshot.reason == .failed else {
      throw fail("ends as \(engine.snapshot.reason)")
    }
    try advance(milliseconds: 5000)
    guard output.openStreams.isEmpty else { throw fail("ended, with \(output.openStreams.count) streams") }
    guard let wanted else { return }
    // Some fail before their turn.
    let heard = (began.first == wanted.first ? began : wanted.prefix(1) + began).filter { !failed.contains($0) }
    let playable = wanted.filter { !failed.contains($0) }
    guard heard == playable else { throw fail("other tracks follow than wanted: \(heard) for \(playable)") }
    try checkEnd(wanted, behindStream: streamCount)
  }

  private func neutralize() {
    (output.isDown, withholds) = (false, false)
    for stream in output.openStreams { stream.report(.suspended(false)) }
    engine.send(.set(.crossfade(0)))
    engine.send(.set(.speed(1)))
    engine.send(.set(.equalizer(.flat)))
    engine.send(.set(.gain(.off, preamp: 0)))
    engine.send(.set(.balance(0)))
    engine.send(.set(.looped(false)))
    engine.send(.resume)
  }

  /// The streams that were opened at the end play their tracks whole.
  private func checkEnd(_ ids: [QueueEntry.ID], behindStream count: Int) throws(Failure) {
    var tracks = ids.compactMap { id in list.first { $0.id == id }.flatMap(file(of:)) }.filter { !$0.samples.isEmpty }
    // A part of the first one may have played before, on the stream of the next ones of the same format.
    let first = tracks.first?.format
    tracks = Array(tracks.drop { $0.format == first })
    // A stream that was prepared and never audible does not count.
    let streams = output.streams.dropFirst(count).filter { $0.heard.contains { $0 != 0 } }
    for stream in streams.reversed() where !tracks.isEmpty {
      let heard = stream.heard.drop { $0 == 0 }
      var wanted: [UInt8] = []
      repeat {
        wanted = (tracks.popLast()?.samples ?? []) + wanted
      } while wanted.drop { $0 == 0 }.count < heard.count && !tracks.isEmpty
      guard heard.elementsEqual(wanted.drop { $0 == 0 }) else {
        throw fail("stream \(stream.number): \(heard.count) bytes heard for \(wanted.count)")
      }
    }
  }
}
