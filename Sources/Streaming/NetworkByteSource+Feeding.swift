internal import ByteIO
internal import Threads

// A source that does not receive one resource but is fed with the segments of HLS, from a thread of their own.
extension NetworkByteSource {
  /// What came of feeding.
  enum Feeding {
    case taken
    /// There is no room until the reader has gone on.
    case full
    /// Nobody wants more.
    case over
  }

  /// Takes what follows; the first bytes open it. `isLive` says whether there is no end.
  func feed(_ bytes: [UInt8], isLive: Bool, type: String, title: String?) -> Feeding {
    monitor.locked {
      if case .failed = phase { return .over }
      let place = spool.record.present.ranges.last?.upperBound ?? 0
      guard
        let room = budget.evictions(
          spool.record.present, reader: position, arriving: Int64(bytes.count), at: place)
      else { return .full }
      for range in room { spool.evict(range) }
      do throws(NetworkError) { _ = try bytes.withUnsafeBytes(at: place, spool.write) } catch {
        fail(error)
        return .over
      }
      (hasEnd, phase) = (!isLive, .open)
      spool.record.contentType = spool.record.contentType ?? type
      if let title, title != titles.last?.title { titles = titles.suffix(15) + [(place, title)] }
      tell()
      return .taken
    }
  }

  /// Learns how long all of it is.
  func tell(seconds: Double) { monitor.locked { told = seconds > 0 ? seconds : nil } }

  /// Nothing more follows: it was all, or something is wrong.
  func endFeeding(_ error: NetworkError?) {
    monitor.locked {
      if case .failed = phase { return }
      if let error { return fail(error) }
      phase = .open
      spool.record.length = spool.record.present.ranges.last?.upperBound ?? 0
      tell()
    }
  }

  /// Something for the log.
  func note(_ notice: NetworkNotice) {
    monitor.locked {
      notices.append(notice)
      tell()
    }
  }
}

extension [UInt8] {
  fileprivate func withUnsafeBytes(
    at place: Int64, _ write: (UnsafeRawBufferPointer, Int64) throws(NetworkError) -> Int64?
  ) throws(NetworkError) -> Int64? {
    // Typed throws do not pass through the closure: carry the outcome out by hand.
    try withUnsafeBytes { bytes in Result { () throws(NetworkError) in try write(bytes, place) } }.get()
  }
}
