public import AudioModel
internal import Glibc
internal import Threads

/// Records the monitor of a sink: 16-bit, interleaved.
///
/// None of its links loses samples: PulseAudio keeps 4 MiB for a recorder that does not read (24 s), parec keeps all,
/// and a sink's pipe has room for 6 s.
public final class MonitorRecording: Sendable {
  /// A time before the first sample.
  private let start: MonotonicTime
  private let stolenBefore = stolenSeconds
  private let samplesPerSecond: Int
  private let recorder: ChildProcess
  private let pulse: ChildProcess?
  private let thread: WorkerThread

  /// Starts to record, and waits until the first samples (of silence) have arrived. `channelMap` are the server's names
  /// of the channels, where they differ from its usual ones. `latency` (milliseconds) is what PulseAudio's sink then
  /// renders at a time, 50 at most. `address` is where the server is reached, if not at its usual place.
  public convenience init(
    _ server: SoundServer, source: String = "null0.monitor", sampleRate: Int = 44100, channelCount: Int = 2,
    channelMap: String? = nil, latency: Int = 5, address: String? = nil
  ) throws {
    try self.init(
      [
        "parec", "-d", source, "--raw", "--format=s16le", "--rate=\(sampleRate)", "--channels=\(channelCount)",
        // PipeWire mixes in blocks as small as the smallest that anyone asks for, too small for a busy machine.
        "--latency-msec=\(SoundServer.isPulseAudio ? latency : 50)",
        "--process-time-msec=\(SoundServer.isPulseAudio ? latency : 50)",
      ] + (channelMap.map { ["--channel-map=\($0)"] } ?? []) + (address.map { ["--server=\($0)"] } ?? []), server,
      samplesPerSecond: sampleRate * channelCount)
  }

  /// Takes what a sink of 44.1 kHz renders, to the frame, though the server be killed: PulseAudio's has to be a
  /// `SoundServer.pipeSink`; PipeWire's lives on, and who records it has a Pulse server of his own.
  public convenience init(_ server: SoundServer, all sink: String) throws {
    guard SoundServer.isPulseAudio else {
      let address = "unix:\(server.folder)/\(sink)/native"
      try self.init(
        ["parec", "-s", address, "-d", "\(sink).monitor", "--raw", "--latency-msec=50"], server,
        through: server.startAnother(sink))
      return
    }
    let pipe = server.pipe(of: sink)
    // The sink throws away what finds no room. A pipe's usual 64 KiB are 0.4 s, as long as a busy machine keeps readers
    // waiting; these are six. While the sink has it open it stays as it is.
    let descriptor = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(descriptor) }
    let setsPipeSize: Int32 = 1031  // F_SETPIPE_SZ
    guard fcntl(descriptor, setsPipeSize, Int32(1 << 20)) > 0 else { throw ChildProcess.Failure(pipe, errno) }
    // Older sound is not counted.
    var old = [UInt8](repeating: 0, count: 1 << 16)
    while read(descriptor, &old, old.count) > 0 {}
    try self.init(["cat", pipe], server)
  }

  private init(
    _ command: [String], _ server: SoundServer, through pulse: ChildProcess? = nil, samplesPerSecond: Int = 2 * 44100
  ) throws {
    self.pulse = pulse
    self.samplesPerSecond = samplesPerSecond
    start = .now
    // PulseAudio 16 at times loses a recorder to whom it sends blocks by reference.
    let configuration = "\(server.folder)/recorder.conf"
    try write(Array("enable-shm = no\nautospawn = no\n".utf8), to: configuration)
    let recorder = try ChildProcess(
      command, environment: server.environment.merging(["PULSE_CLIENTCONFIG": configuration]) { $1 },
      output: .collected, errors: "\(server.folder)/log")
    self.recorder = recorder
    let store = Store()
    self.store = store
    thread = WorkerThread(named: "recorder") {
      while case let more = recorder.read(), !more.isEmpty { store.append(more) }
      store.end()
    }
    guard waitUntil({ store.count > 1000 }) else {
      throw Silent(description: "\(command) records nothing: \(server.lastLines)")
    }
  }

  /// Safety: the bytes are touched only under the monitor (whose lock the thread sanitiser knows).
  private final class Store: @unchecked Sendable {
    private let monitor = Monitor()
    private var all: [UInt8] = []
    var bytes: [UInt8] { monitor.locked { all } }
    func bytes(from offset: Int) -> [UInt8] { monitor.locked { Array(all.dropFirst(offset)) } }
    var count: Int { monitor.locked { all.count } }
    func append(_ more: [UInt8]) { monitor.locked { all += more } }
    private var hasEnded = false
    var isWhole: Bool { monitor.locked { hasEnded } }
    func end() { monitor.locked { hasEnded = true } }
  }

  private let store: Store

  deinit {
    recorder.end()
    thread.join()
    pulse?.end(atOnce: true)
  }

  /// True once the recorder has ended, as it does with its server: `samples` are all that it was sent.
  public var isWhole: Bool { store.isWhole }

  /// All samples so far.
  public var samples: [Int16] {
    store.bytes.withUnsafeBytes { raw in
      (0..<raw.count / 2).map { Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)) }
    }
  }

  /// True if that many stereo frames of silence were recorded last.
  public func endsInSilence(frames: Int) -> Bool {
    let tail = store.bytes(from: max(0, store.count - 4 * frames))
    return tail.count == 4 * frames && tail.allSatisfy { $0 == 0 }
  }

  /// Waits until everything is recorded that its sink had rendered when this was called; false if that never happens.
  ///
  /// Sinks render by the clock, so the length of a recording tells how far it has come. Nothing else does: on a busy
  /// machine a recorder may stand still for seconds, and silence at its end may be that before the sound.
  public func catchUp() -> Bool {
    // A sink is ahead of the clock by a block, 0.05 s at most.
    let seconds = (.now - start).inSeconds + 0.05
    return waitUntil { isWhole || Double(sampleCount) >= seconds * Double(samplesPerSecond) }
  }

  /// The most frames of two samples that its sink may have rendered up to a time, and that it has not got. A server that
  /// is killed takes with it what a recorder has not read, which on a busy machine may be some seconds.
  public func missingFrames(at time: MonotonicTime) -> Int {
    max(0, (Int((time - start).inSeconds * Double(samplesPerSecond)) - sampleCount) / 2)
  }

  /// The bytes recorded from `offset` on.
  public func bytes(from offset: Int) -> [UInt8] { store.bytes(from: offset) }

  /// The frames that PipeWire's recorder may have missed, in whole blocks, while the virtual machine stood still.
  private var stolenFrames: Int { SoundServer.isPulseAudio ? 0 : Int(max(0, stolenSeconds - stolenBefore) * 44_100) }

  /// All samples so far, with the blocks for which PipeWire on a busy machine misses its own deadline, and renders
  /// silence, and those that its recorder misses.
  public var rendered: [Int16] {
    SoundServer.isPulseAudio
      ? samples
      : CodedSignal.withoutMissedBlocks(
        samples, blockFrames: SoundServer.blockFrames, stolenFrames: stolenFrames)
  }

  /// The ranges of a `CodedSignal` that its sink had rendered when this was called.
  public var heard: [Range<Int>] {
    if !catchUp() { print("the recording stands still at \(sampleCount) samples") }
    return CodedSignal.runs(in: rendered)
  }

  /// Lengths, in frames of two samples, of the silences between the first sound and the last. Those of whole blocks in
  /// which PipeWire's Pulse server did not get the processor do not count: what it held is heard after them.
  public var silences: [Int] {
    let samples = rendered
    let sounds = stride(from: 0, to: samples.count - 1, by: 2).filter { samples[$0] != 0 || samples[$0 + 1] != 0 }
    return zip(sounds, sounds.dropFirst()).map { ($1 - $0) / 2 - 1 }.filter { $0 > 0 && !isOfMissedBlocks($0) }
  }

  private func isOfMissedBlocks(_ silence: Int) -> Bool {
    let block = SoundServer.blockFrames
    guard block > 0, silence.isMultiple(of: block), silence <= 4 * block else { return false }
    print("the server was late by \(silence) frames")
    return true
  }

  /// Samples so far.
  public var sampleCount: Int { store.count / 2 }

  struct Silent: Error, CustomStringConvertible { var description: String }
}
