internal import CPulse
internal import Glibc
internal import Threads

// When the server's messages came.
extension PulseConnection {
  /// When came what is read now (CLOCK_MONOTONIC).
  struct Arrival {
    /// At the earliest: what was there already may have come since it was looked for the time before.
    var nanoseconds: UInt64 = 0
    /// It was waited for, and came just then.
    var isExact = false
    /// When it was looked for last.
    fileprivate var pollNanoseconds: UInt64 = 0
  }

  fileprivate func poll(_ descriptors: UnsafeMutablePointer<pollfd>?, _ count: UInt, _ timeout: Int32) -> Int32 {
    let (result, isExact, now) = monitor.unlocked {
      let ready = Glibc.poll(descriptors, nfds_t(count), 0)
      let waits = ready == 0 && timeout != 0
      let result = waits ? Glibc.poll(descriptors, nfds_t(count), timeout) : ready
      return (result, waits, monotonicNanoseconds())
    }
    arrival = Arrival(
      nanoseconds: isExact ? now : arrival.pollNanoseconds, isExact: isExact, pollNanoseconds: now)
    return result
  }
}

let pollUnlocked: pa_poll_func = { descriptors, count, timeout, me in
  guard let me else { return -1 }
  return Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue().poll(descriptors, count, timeout)
}
