internal import AudioModel
internal import CPulse
internal import Glibc
internal import Threads

/// Owns one `pa_stream` with its callbacks, its timer and its open questions, and translates between libpulse and
/// Swift.
///
/// Under the connection's lock. The callbacks call the `PulseStream` that created the handle, until `close`.
final class StreamHandle {
  private let stream: OpaquePointer
  private let specification: StreamSpecification
  private let connection: PulseConnection
  /// The `PulseStream`, for callbacks.
  private let owner: UnsafeMutableRawPointer
  /// The name of the sink on which the stream is created; `nil` for the server's default.
  let device: String?
  let properties: PulseProperties
  private var timer: OpaquePointer?
  /// Comes at the main loop's next turn, when it is set.
  private var continuation: OpaquePointer?
  private var timingOperations: [OpaquePointer] = []

  /// A stream that is not connected yet; `nil` if libpulse does not know the format.
  init?(
    _ specification: StreamSpecification, _ context: OpaquePointer, _ connection: PulseConnection,
    owner: UnsafeMutableRawPointer
  ) {
    guard let stream = specification.makeStream(context, connection.properties) else { return nil }
    self.stream = stream
    self.specification = specification
    self.connection = connection
    self.owner = owner
    (device, properties) = (connection.deviceChoice.target, connection.properties)
    setCallbacks()
    timer = pa.context_rttime_new(context, pa_usec_t.max, timeIsOver, owner)
    continuation = pa.context_rttime_new(context, pa_usec_t.max, turnHasCome, owner)
  }

  /// Creates the stream on the server, corked. False if that fails at once.
  func connect(_ loudness: PulseLoudness?) -> Bool {
    var attributes = specification.bufferAttributes
    var flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue
    guard let loudness else {
      return pa.stream_connect_playback(
        stream, device, &attributes, pa_stream_flags_t(flags), nil, nil) >= 0
    }
    flags |= (loudness.isMuted ? PA_STREAM_START_MUTED : PA_STREAM_START_UNMUTED).rawValue
    var volume = specification.channelVolume(loudness.volume)
    return pa.stream_connect_playback(
      stream, device, &attributes, pa_stream_flags_t(flags), &volume, nil) >= 0
  }

  /// Removes the stream from the server. No callback comes afterwards.
  func close() {
    let api = pa.mainloop_get_api(connection.mainloop)
    for event in [timer, continuation].compactMap(\.self) { api?.pointee.time_free?(event) }
    (timer, continuation) = (nil, nil)
    for operation in timingOperations {
      pa.operation_cancel(operation)
      pa.operation_unref(operation)
    }
    timingOperations = []
    removeCallbacks()
    // While the server is creating the stream, it has no number yet: it is removed as soon as it has one. Otherwise it
    // would stay as long as the connection.
    if pa.stream_disconnect(stream) < 0, pa.stream_get_state(stream) == PA_STREAM_CREATING {
      pa.stream_set_state_callback(stream, leaveLate, nil)
    } else {
      pa.stream_unref(stream)
    }
  }

  // MARK: State

  var state: pa_stream_state_t { pa.stream_get_state(stream) }
  /// The server's number of the stream.
  var index: UInt32 { pa.stream_get_index(stream) }
  /// The server's number of its sink.
  var sinkIndex: UInt32 { pa.stream_get_device_index(stream) }
  /// True if the stream could not be created because the server does not have its device.
  var lacksDevice: Bool { device != nil && pa.context_errno(connection.context) == PA_ERR_NOENTITY.rawValue }
  var isSuspended: Bool { pa.stream_is_suspended(stream) > 0 }
  /// Negative: the stream is failing.
  var writableByteCount: Int { pa.stream_writable_size(stream) }
  /// Bytes that the server's buffer holds.
  var capacity: Int? { pa.stream_get_buffer_attr(stream).map { Int($0.pointee.tlength) } }

  // MARK: Writing

  /// The server's memory for up to so many bytes, for `write` or `cancelWrite`.
  func beginWrite(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
    var memory: UnsafeMutableRawPointer?
    var size = byteCount
    guard pa.stream_begin_write(stream, &memory, &size) >= 0, let memory else { return nil }
    return UnsafeMutableRawBufferPointer(start: memory, count: min(size, byteCount))
  }

  func write(_ bytes: UnsafeMutableRawBufferPointer.SubSequence, offset: Int64) {
    let bytes = UnsafeMutableRawBufferPointer(rebasing: bytes)
    _ = pa.stream_write(stream, bytes.baseAddress, bytes.count, nil, offset, PA_SEEK_RELATIVE)
  }

  func cancelWrite() { _ = pa.stream_cancel_write(stream) }

  func writeSilence(frameCount: Int64, offset: Int64) -> Bool {
    let silence = [UInt8](repeating: 0, count: Int(frameCount) * specification.format.bytesPerFrame)
    return pa.stream_write(stream, silence, silence.count, nil, offset, PA_SEEK_RELATIVE) >= 0
  }

  func setCorked(_ isCorked: Bool) { release(pa.stream_cork(stream, isCorked ? 1 : 0, nil, nil)) }
  func trigger() { release(pa.stream_trigger(stream, nil, nil)) }
  func flush() { release(pa.stream_flush(stream, nil, nil)) }

  // MARK: Timing

  /// Asks the server for the timing. False if that is impossible.
  func askForTiming() -> Bool {
    guard let operation = pa.stream_update_timing_info(stream, timingAnswered, owner) else { return false }
    timingOperations.append(operation)
    return true
  }

  /// Removes the oldest question, which was answered. False if there is none.
  func takeAnswer() -> Bool {
    guard !timingOperations.isEmpty else { return false }
    pa.operation_unref(timingOperations.removeFirst())
    return true
  }

  /// The server's last answer.
  var timing: ServerTiming? {
    guard let timing = pa.stream_get_timing_info(stream)?.pointee else { return nil }
    let (now, bytesPerFrame) = (MonotonicTime.now, Int64(specification.format.bytesPerFrame))
    return ServerTiming(
      waitingFrames: (timing.write_index &- timing.read_index) / bytesPerFrame,
      readFrame: timing.read_index / bytesPerFrame, isWriteIndexKnown: timing.write_index_corrupt == 0,
      isReadIndexKnown: timing.read_index_corrupt == 0, sinkMicroseconds: timing.sink_usec,
      silentFrames: timing.since_underrun / bytesPerFrame, isPlaying: timing.playing != 0,
      time: now - age(of: timing))
  }

  private func age(of timing: pa_timing_info) -> TimeSpan {
    var now = timeval()
    gettimeofday(&now, nil)
    let seconds = now.tv_sec &- timing.timestamp.tv_sec
    let microseconds = seconds &* 1_000_000 &+ (now.tv_usec &- timing.timestamp.tv_usec)
    return .microseconds(Int64(min(max(0, microseconds), 1_000_000)))  // The wall clock may have been set meanwhile.
  }

  /// The largest possible latency of the sink in microseconds.
  var sinkMicroseconds: UInt64 {
    pa.stream_get_timing_info(stream).map { max($0.pointee.configured_sink_usec, $0.pointee.sink_usec) } ?? 0
  }

  /// Calls the owner's `watchEnded` after that time, at most an hour; `nil`: never.
  func setTimer(_ limit: TimeSpan?) {
    let deadline = limit.map { (.now + min(max(.zero, $0), .seconds(3600))).inPulseMicroseconds }
    if let context = connection.context { pa.context_rttime_restart(context, timer, deadline ?? pa_usec_t.max) }
  }

  /// Calls the owner's `fill` after the main loop has sent what was written. Not an event of the kind that comes before
  /// the loop polls (`defer_new`): while one is there, nothing is polled, and older versions of libpulse send only once.
  func continueSoon() {
    if let context = connection.context {
      pa.context_rttime_restart(context, continuation, MonotonicTime.now.inPulseMicroseconds)
    }
  }

  // MARK: Loudness and track

  func setVolume(_ volume: Double) {
    var channels = specification.channelVolume(volume)
    release(pa.context_set_sink_input_volume(connection.context, index, &channels, nil, nil))
  }

  func setMuted(_ isMuted: Bool) {
    release(pa.context_set_sink_input_mute(connection.context, index, isMuted ? 1 : 0, nil, nil))
  }

  /// Moves the stream to a sink, or to the server's default, which it follows from then on. A stream that is there
  /// already hears nothing of it, but stays when the default changes.
  func move(to device: String?) {
    release(pa.context_move_sink_input_by_name(connection.context, index, device ?? "@DEFAULT_SINK@", nil, nil))
  }

  func set(_ properties: PulseProperties) {
    let list = StreamSpecification.makeList(properties)
    defer { pa.proplist_free(list) }
    release(pa.stream_proplist_update(stream, PA_UPDATE_REPLACE, list, nil, nil))
  }

  // MARK: Callbacks, on the connection's thread, with its lock held

  private func setCallbacks() {
    pa.stream_set_state_callback(stream, { PulseStream.of($1)?.streamChanged() }, owner)
    pa.stream_set_write_callback(stream, { PulseStream.of($2)?.bytesWanted() }, owner)
    pa.stream_set_started_callback(stream, { PulseStream.of($1)?.serverStarted() }, owner)
    pa.stream_set_underflow_callback(stream, { PulseStream.of($1)?.serverRanEmpty() }, owner)
    pa.stream_set_moved_callback(stream, { PulseStream.of($1)?.session.serverMoved() }, owner)
    pa.stream_set_suspended_callback(stream, { PulseStream.of($1)?.session.serverSuspended() }, owner)
    pa.stream_set_event_callback(
      stream, { _, name, _, owner in if let name { PulseStream.of(owner)?.session.receive(String(cString: name)) } },
      owner)
  }

  private func removeCallbacks() {
    pa.stream_set_state_callback(stream, nil, nil)
    pa.stream_set_write_callback(stream, nil, nil)
    pa.stream_set_started_callback(stream, nil, nil)
    pa.stream_set_underflow_callback(stream, nil, nil)
    pa.stream_set_moved_callback(stream, nil, nil)
    pa.stream_set_suspended_callback(stream, nil, nil)
    pa.stream_set_event_callback(stream, nil, nil)
  }
}

extension PulseStream {
  fileprivate static func of(_ owner: UnsafeMutableRawPointer?) -> PulseStream? {
    owner.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let timingAnswered: pa_stream_success_cb_t = { _, isGood, owner in
  PulseStream.of(owner)?.timingIsKnown(isGood: isGood != 0)
}

private let turnHasCome: pa_time_event_cb_t = { _, _, _, owner in PulseStream.of(owner)?.fill() }

private let timeIsOver: pa_time_event_cb_t = { _, _, _, owner in PulseStream.of(owner)?.watchEnded() }

/// For a stream that was closed while the server was creating it: removes it once it exists, or with its connection.
private let leaveLate: pa_stream_notify_cb_t = { stream, _ in
  guard let stream else { return }
  switch pa.stream_get_state(stream) {
  case PA_STREAM_CREATING: return
  case PA_STREAM_READY: _ = pa.stream_disconnect(stream)
  default: break
  }
  pa.stream_set_state_callback(stream, nil, nil)
  pa.stream_unref(stream)
}
