internal import AudioModel
internal import CPulse
internal import Glibc
internal import Threads

// The arrival times of the server's messages.
extension PulseConnection {
  /// The time of the messages that are read now.
  struct Arrival {
    /// The earliest possible time: a message that was there already may have arrived just after the previous poll.
    var time = MonotonicTime.zero
    /// True if the thread waited for the message, so that the time is exact.
    var isExact = false
    /// The time of the last poll.
    fileprivate var pollTime = MonotonicTime.zero
  }

  fileprivate func poll(_ descriptors: UnsafeMutablePointer<pollfd>?, _ count: UInt, _ timeout: Int32) -> Int32 {
    let (result, isExact, now) = monitor.unlocked {
      let ready = Glibc.poll(descriptors, nfds_t(count), 0)
      let waits = ready == 0 && timeout != 0
      let result = waits ? Glibc.poll(descriptors, nfds_t(count), timeout) : ready
      return (result, waits, MonotonicTime.now)
    }
    arrival = Arrival(time: isExact ? now : arrival.pollTime, isExact: isExact, pollTime: now)
    return result
  }
}

let pollUnlocked: pa_poll_func = { descriptors, count, timeout, me in
  guard let me else { return -1 }
  return Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue().poll(descriptors, count, timeout)
}
