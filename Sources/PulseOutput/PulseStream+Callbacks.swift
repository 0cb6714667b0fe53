internal import CPulse

// libpulse calls these on the connection's thread, with its lock held.
extension PulseStream {
  static func of(_ me: UnsafeMutableRawPointer?) -> PulseStream? {
    me.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }

  func setCallbacks(_ stream: OpaquePointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    pa.stream_set_state_callback(stream, { PulseStream.of($1)?.streamChanged() }, me)
    pa.stream_set_write_callback(stream, { PulseStream.of($2)?.bytesWanted() }, me)
    pa.stream_set_started_callback(stream, { PulseStream.of($1)?.serverStarted() }, me)
    pa.stream_set_underflow_callback(stream, { PulseStream.of($1)?.serverRanEmpty() }, me)
    pa.stream_set_moved_callback(stream, { PulseStream.of($1)?.serverMoved() }, me)
    pa.stream_set_suspended_callback(stream, { PulseStream.of($1)?.serverSuspended() }, me)
    pa.stream_set_event_callback(
      stream, { _, name, _, me in if let name { PulseStream.of(me)?.serverAsks(String(cString: name)) } }, me)
  }

  func removeCallbacks(_ stream: OpaquePointer) {
    pa.stream_set_state_callback(stream, nil, nil)
    pa.stream_set_write_callback(stream, nil, nil)
    pa.stream_set_started_callback(stream, nil, nil)
    pa.stream_set_underflow_callback(stream, nil, nil)
    pa.stream_set_moved_callback(stream, nil, nil)
    pa.stream_set_suspended_callback(stream, nil, nil)
    pa.stream_set_event_callback(stream, nil, nil)
  }
}

let timingAnswered: pa_stream_success_cb_t = { _, isGood, me in PulseStream.of(me)?.timingIsKnown(isGood: isGood != 0) }

let timeIsOver: pa_time_event_cb_t = { _, _, _, me in PulseStream.of(me)?.watchEnded() }
