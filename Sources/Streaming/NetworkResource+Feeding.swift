internal import ByteIO
internal import Threads

// A source that does not receive one resource but is fed with the segments of HLS, from a thread of their own.
extension NetworkResource {
  /// What came of feeding.
  enum Feeding {
    case taken
    /// There is no room until the reader has gone on.
    case full
    /// Nobody wants more.
    case over
  }

  /// Takes what follows; the first bytes open it. `isLive` says whether there is no end; on demand they belong to
  /// `segment`, the last one of the run that is being fed, or the next.
  func feed(_ bytes: [UInt8], of segment: Int? = nil, isLive: Bool, type: String, title: String?) -> Feeding {
    monitor.locked {
      if case .failed = phase { return .over }
      let run = timeline?.runs.firstIndex { $0.id == feedingRun }
      // It has been given up meanwhile.
      if timeline != nil, run == nil { return .taken }
      let place = run.flatMap { timeline?.runs[$0].end } ?? spool.record.present.ranges.last?.upperBound ?? 0
      if let run, let base = timeline?.runs[run].base, place - base > HLSTimeline.runByteLimit - Int64(bytes.count) {
        fail(NetworkError(.unusable, "this HLS stream has more bytes than any sound"))
        return .over
      }
      guard
        let room = budget.evictions(
          spool.record.present, reader: position, arriving: Int64(bytes.count), at: place)
      else {
        feedingWaits = true
        tell()
        return .full
      }
      feedingWaits = false
      for range in room { evict(range) }
      do throws(NetworkError) { _ = try bytes.withUnsafeBytes(at: place, spool.write) } catch {
        fail(error)
        return .over
      }
      if let segment, let run = timeline?.runs.firstIndex(where: { $0.id == feedingRun }) {
        timeline?.append(Int64(bytes.count), of: segment, toRun: run)
      }
      if bytes.isEmpty { return .taken }
      (hasEnd, phase) = (!isLive, .open)
      spool.record.contentType = spool.record.contentType ?? type
      if let title, title != self.title(at: place) {
        let index = titles.firstIndex { $0.byteOffset > place } ?? titles.count
        titles = (titles[..<index] + [(place, title)] + titles[index...]).suffix(Self.feedTitleLimit)
      }
      tell()
      return .taken
    }
  }

  private static let feedTitleLimit = 256

  /// Lets bytes go; of a run that would be cut short all of them.
  private func evict(_ range: Range<Int64>) {
    spool.evict(range)
    if let rest = timeline?.remove(endingAt: range.upperBound, unless: feedingRun) { spool.evict(rest) }
  }

  /// Nothing more follows: it was all, or what follows has another encoding, or something is wrong.
  func endFeeding(_ outcome: Result<StreamContinuation?, NetworkError>) {
    monitor.locked {
      if case .failed = phase { return }
      switch outcome {
      case .success(let continuation): self.continuation = continuation
      case .failure(let error): return fail(error)
      }
      phase = .open
      if timeline == nil { spool.record.length = spool.record.present.ranges.last?.upperBound ?? 0 }
      tell()
    }
  }

  /// Something for the log, at once.
  func announce(_ notice: NetworkNotice) {
    monitor.locked {
      note(notice)
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
