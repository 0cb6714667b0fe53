internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Glibc
internal import Threads

/// The loudness of our streams on the server.
struct PulseLoudness: Equatable {
  var volume: Double
  var isMuted: Bool
}

/// The properties that our streams have on the server.
struct PulseProperties: Equatable {
  var title: String?
  var artist: String?
  /// `media.role`.
  var role = "music"
  /// A role that makes the server lower other programs, instead of `role`.
  var duckingRole: String?
  /// Frames per second that the device is to have. PipeWire follows `node.rate` where its settings allow that; PulseAudio
  /// has no such property.
  var sampleRate: Double?
}

/// One server: libpulse's main loop on a thread of our own, its context, and the lock over everything of libpulse.
///
/// `pa_threaded_mainloop` does the same, but this lock exists before libpulse is loaded, and waits have a time limit.
/// Safety: stored properties are used only under the lock (the thread holds it except while it polls).
final class PulseConnection: @unchecked Sendable {
  /// Calls to the owner of the output, on the thread.
  struct Reports {
    /// Called once: a server was reached for the first time, or there is none. Until then libpulse may start one.
    var didSettle: (@Sendable () -> Void)?
    /// The devices of `deviceChoice` are others.
    var devicesChanged: @Sendable () -> Void = {}
  }

  private enum State {
    case idle
    case connecting
    case ready
    case failed(AudioOutputError)
    case closed
  }

  private(set) var context: OpaquePointer?
  private(set) var observer: PulseObserver?
  var calls = CallPolicy.Calls()
  /// Ends the wait for a server that accepts the connection and stays silent.
  private var connectTimer: OpaquePointer?
  var deviceChoice: DeviceChoice {
    didSet { if deviceChoice.devices != oldValue.devices { reports.devicesChanged() } }
  }
  var loudness: PulseLoudness? {
    didSet { if loudness != oldValue { for stream in streams { stream.session.applyLoudness() } } }
  }
  private(set) var others = OtherAudio()
  var properties = PulseProperties() {
    didSet { if properties != oldValue { for stream in streams { stream.applyProperties() } } }
  }

  /// True if other programs are to get softer.
  var ducksOthers = false {
    didSet {
      guard ducksOthers != oldValue else { return }
      if ducksOthers { observer?.requestModules() } else { update(duckingRole: nil, .off) }
    }
  }

  private let server: String?
  private let applicationName: String
  private var reports: Reports
  let monitor = Monitor()
  private var state = State.idle
  private(set) var mainloop: OpaquePointer?
  private var thread: WorkerThread?
  private var threadID: pthread_t?
  private var streams: [PulseStream] = []
  var arrival = Arrival()
  let transcript: PulseTranscript?

  init(
    server: String?, device: String?, applicationName: String, transcript: PulseTranscript? = nil,
    reports: Reports = Reports()
  ) {
    self.transcript = transcript
    self.server = server
    deviceChoice = DeviceChoice(device)
    self.applicationName = applicationName
    self.reports = reports
  }

  // MARK: The lock

  func locked<Result>(_ body: () -> Result) -> Result { monitor.locked(body) }

  /// Under the lock: releases it until `isDone`, or for `limit`. Returns at once on the connection's own thread,
  /// which runs the callbacks.
  func wait(for limit: TimeSpan, until isDone: () -> Bool) {
    if isOwnThread { return }
    monitor.wait(until: .now + limit, isDone)
  }

  /// Under the lock: wakes all waiting threads.
  func signal() { monitor.signal() }

  private var isOwnThread: Bool { threadID.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  // MARK: From any thread

  /// Creates the thread, which waits for `start`.
  func prepare() {
    locked { if thread == nil { thread = WorkerThread(named: "pulse") { self.run() } } }
  }

  func start() {
    prepare()
    locked {
      guard case .idle = state else { return }
      state = .connecting
      signal()
    }
  }

  func add(_ stream: PulseStream) {
    start()
    locked {
      switch state {
      case .ready:
        streams.append(stream)
        stream.create()
      case .idle, .connecting:
        streams.append(stream)
      case .failed(let error):
        guard let mainloop, let api = pa.mainloop_get_api(mainloop) else { return stream.fail(error) }
        streams.append(stream)
        state = .connecting
        _ = api.pointee.defer_new?(api, connectAgain, Unmanaged.passUnretained(self).toOpaque())
        pa.mainloop_wakeup(mainloop)
      case .closed:
        stream.fail(AudioOutputError(.serverLost, detail: "the output was closed"))
      }
    }
  }

  /// Under the lock: the context of a server that answers, or the error; `nil` while that is not known.
  var outcome: Result<OpaquePointer, AudioOutputError>? {
    switch state {
    case .ready: context.map { .success($0) }
    case .failed(let error): .failure(error)
    case .idle, .connecting, .closed: nil
    }
  }

  func remove(_ stream: PulseStream) { streams.removeAll { $0 === stream } }

  /// Ends the thread.
  func close() {
    locked {
      state = .closed
      signal()
      guard let mainloop else { return }
      pa.mainloop_quit(mainloop, 0)
      pa.mainloop_wakeup(mainloop)
    }
    let thread = locked { isOwnThread ? nil : self.thread }
    thread?.join()
  }

  /// Under the lock: the server keeps the connection and does not answer any more. The next stream gets a new
  /// connection.
  func serverHangs() {
    // The streams end first: each would mistake the end of the context for its own.
    lose(AudioOutputError(.serverLost, detail: "the sound server does not answer"))
    dropContext()
  }

  // MARK: Under the lock, from the observer

  func update(inputs: [PulseSinkInput]) {
    let own = Set(streams.compactMap { $0.ready?.index })
    let others = inputs.filter { !own.contains($0.index) }
    calls.isOn = others.contains(where: \.isCall)
    if !calls.isOn { calls.isOverruled = false }
    var now = OtherAudio(others)
    now.ducking = self.others.ducking
    update(others: now)
    for stream in streams { stream.session.update(inputs: inputs) }
  }

  private func update(others: OtherAudio) {
    guard others != self.others else { return }
    self.others = others
    for stream in streams { stream.source.handle(.othersChanged(others)) }
  }

  func update(modules: [PulseModule]) {
    guard ducksOthers else { return }
    let role = duckingRole(modules)
    update(duckingRole: role, role == nil ? .unavailable : .on)
  }

  private func update(duckingRole role: String?, _ ducking: OtherAudio.Ducking) {
    properties.duckingRole = role
    var others = others
    others.ducking = ducking
    update(others: others)
  }

  func update(sinks: [PulseSink]) {
    let moves = deviceChoice.note(sinks)
    for stream in streams { stream.session.update(sinks: sinks) }
    if moves { moveStreams() }
  }

  func update(standardSink: String?) { if deviceChoice.note(standard: standardSink) { moveStreams() } }

  /// Moves all streams to the device that the listener chose.
  func moveStreams() { for stream in streams { stream.ready?.move(to: deviceChoice.target) } }

  // MARK: The thread

  private func run() {
    locked { monitor.wait { if case .idle = state { false } else { true } } }
    let isLoaded = isLibpulseLoaded  // Slow: not under the lock.
    locked {
      threadID = pthread_self()
      guard isLoaded, let mainloop = pa.mainloop_new() else {
        return lose(
          AudioOutputError(
            .libraryMissing, detail: "libpulse cannot be loaded", advice: PulseOutput.library.complaint))
      }
      if case .closed = state { return pa.mainloop_free(mainloop) }
      self.mainloop = mainloop
      let me = Unmanaged.passUnretained(self).toOpaque()
      pa.mainloop_set_poll_func(mainloop, pollUnlocked, me)
      connect()
      _ = pa.mainloop_run(mainloop, nil)
      for stream in streams { stream.discard() }
      streams.removeAll()
      dropContext()
      self.mainloop = nil
      pa.mainloop_free(mainloop)
    }
  }

  /// Starts to connect. On the connection's thread, and without the lock while libpulse looks for the server: if none
  /// runs, it may start one and wait for it, without a limit. No other thread uses libpulse before there is a server.
  fileprivate func connect() {
    state = .connecting
    let properties = pa.proplist_new()
    defer { pa.proplist_free(properties) }
    _ = pa.proplist_sets(properties, PA_PROP_APPLICATION_NAME, applicationName)
    _ = pa.proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "audio-x-generic")
    let api = pa.mainloop_get_api(mainloop)
    context = pa.context_new_with_proplist(api, applicationName, properties)
    let me = Unmanaged.passUnretained(self).toOpaque()
    pa.context_set_state_callback(context, contextStateChanged, me)
    let connecting = context
    let result = monitor.unlocked { pa.context_connect(connecting, server, PA_CONTEXT_NOFLAGS, nil) }
    // An invalid address fails here, without a callback.
    guard result >= 0, let context else { return contextFailed() }
    let deadline = (.now + PulseTimeouts.connection).inPulseMicroseconds
    connectTimer = pa.context_rttime_new(context, deadline, connectTookTooLong, me)
  }

  fileprivate func contextChanged() {
    guard let context else { return }
    switch pa.context_get_state(context) {
    case PA_CONTEXT_READY:
      state = .ready
      dropConnectTimer()
      for stream in streams { stream.create() }
      observer = PulseObserver(context, self)
      signal()
      settle()
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      contextFailed()
    default: break
    }
  }

  private func settle() {
    reports.didSettle?()
    reports.didSettle = nil
  }

  fileprivate func contextFailed(timedOut: Bool = false) {
    settle()
    guard let context else { return }
    let number = timedOut ? Int32(PA_ERR_TIMEOUT.rawValue) : pa.context_errno(context)
    let reason = describe(number)
    dropContext()
    if case .ready = state {
      // A process takes a millisecond to die before its connections end.
      let time = arrival.time - .milliseconds(1)
      for stream in streams { stream.observe(.ended(at: time)) }
      return lose(AudioOutputError(.serverLost, detail: "the sound server is gone (\(reason))"))
    }
    let address = server ?? getenv("PULSE_SERVER").map { String(cString: $0) }
    let place = address.map { "PULSE_SERVER=\($0): " } ?? ""
    switch pa_error_code_t(UInt32(bitPattern: number)) {
    case PA_ERR_TIMEOUT:
      lose(
        AudioOutputError(
          .serverSilent, detail: "the sound server does not answer (\(place)\(reason))",
          advice: "if it stays so, restart it with `pulseaudio --kill` or `systemctl --user restart pipewire-pulse`"))
    case PA_ERR_ACCESS, PA_ERR_AUTHKEY, PA_ERR_PROTOCOL, PA_ERR_VERSION, PA_ERR_NOTSUPPORTED:
      lose(AudioOutputError(.refused, detail: "the sound server denied access (\(place)\(reason))"))
    default:
      lose(
        AudioOutputError(
          .noServer, detail: "no PulseAudio or PipeWire server answers (\(place)\(reason))",
          advice: "start one with `pulseaudio --start` or `systemctl --user start pipewire-pulse`"))
    }
  }

  private func dropContext() {
    guard let context else { return }
    self.context = nil
    dropConnectTimer()
    observer?.close()
    deviceChoice.forget()
    pa.context_set_state_callback(context, nil, nil)
    pa.context_disconnect(context)
    pa.context_unref(context)
    observer = nil
  }

  private func dropConnectTimer() {
    if let connectTimer { pa.mainloop_get_api(mainloop)?.pointee.time_free?(connectTimer) }
    connectTimer = nil
  }

  /// Ends all streams: the server is lost.
  private func lose(_ error: AudioOutputError) {
    if case .closed = state { return }
    state = .failed(error)
    let lost = streams
    streams.removeAll()
    for stream in lost { stream.fail(error) }
    signal()
  }
}

private let contextStateChanged: pa_context_notify_cb_t = { _, me in
  guard let me else { return }
  let connection = Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue()
  connection.locked { connection.contextChanged() }  // Within `connect` it is not held.
}

private let connectAgain: pa_defer_event_cb_t = { api, event, me in
  api?.pointee.defer_free?(event)
  guard let me else { return }
  Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue().connect()
}

private let connectTookTooLong: pa_time_event_cb_t = { _, _, _, me in
  guard let me else { return }
  Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue().contextFailed(timedOut: true)
}
