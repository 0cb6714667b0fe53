public import ByteIO
internal import Threads

// Facts about a stream.
extension NetworkByteSource {
  /// The address after redirects; as it was asked for while no server has answered.
  public var effectiveAddress: WebAddress { state { $0.origin ?? $0.trail.address } }

  /// The entries of the playlist that it turned out to be, where playlists are reported instead of followed.
  public var playlistEntries: [WebAddress]? {
    state {
      guard case .failed(let error) = $0.phase, case .playlist(let entries) = error.kind else { return nil }
      return entries
    }
  }

  /// The type that the server names: `audio/mpeg`.
  public var contentType: String? { state { $0.record.contentType } }

  /// Whether it has no end: a radio station.
  public var isLive: Bool { state { $0.kind.isLive } }

  /// Whether all bytes are there.
  public var isComplete: Bool { state { $0.isComplete } }

  /// Whether the server has answered.
  public var isOpen: Bool { state { !$0.isOpening } }

  /// Whether the bytes at any offset can be asked for.
  public var isSeekable: Bool { state { $0.canRange } }

  /// Whether any byte can be read without waiting for all before it: it can be asked for, or all are there.
  public var allowsRandomAccess: Bool { state { $0.isComplete || $0.canRange } }

  /// Whether the byte at `offset` is gone for good: of a pipe that is not kept whole.
  public func isGone(_ offset: Int64) -> Bool {
    state {
      guard case .pipe = $0.kind else { return false }
      let present = $0.record.present
      return offset < present.ranges.last?.upperBound ?? 0 && !present.contains(offset)
    }
  }

  /// Seconds until the next attempt after a connection was lost, 0 while one is made; nil while none is needed.
  public var reconnectionDelay: Double? {
    state { state in
      guard state.retries.attempt > 0, !state.record.isComplete else { return nil }
      return max(0, (state.retries.time - .now).inSeconds)
    }
  }

  /// The progress towards the byte that the reader waits for, 0...100, where all bytes before it have to come first.
  public var awaitedPercent: Int? {
    locked { resource, reader in
      let state = resource.state
      let end = state.record.present.end(from: 0)
      guard !state.isOpening, state.comesInOrder, reader.position > end else { return nil }
      return Int(Double(end) / Double(reader.position) * 100)
    }
  }

  /// The ranges of bytes that are there.
  public var arrivedRanges: [Range<Int64>] { state { Array($0.record.present.ranges) } }

  /// The title that the station names where the reader is.
  public var streamTitle: String? { locked { resource, reader in resource.title(at: reader.position) } }

  /// The title that the station names at a byte.
  public func title(at byteOffset: Int64) -> String? { locked { resource, _ in resource.title(at: byteOffset) } }

  /// Sets how much of a station is kept for seeks back. `losesUnread`: the oldest bytes go even if nobody has read them,
  /// as while the listener pauses; otherwise the station is made to wait.
  public func keep(latest byteCount: Int64, losesUnread: Bool) {
    locked { resource, _ in resource.keep(latest: byteCount, losesUnread: losesUnread) }
  }

  /// The station's name.
  public var stationName: String? { state { $0.stationName } }

  /// The notices since the last call, oldest first.
  public func takeNotices() -> [NetworkNotice] {
    locked { _, reader in
      defer { reader.notices.removeAll() }
      return reader.notices
    }
  }
}
