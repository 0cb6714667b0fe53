internal import AudioModel
public import ByteIO
internal import Threads

// Facts about a stream.
extension NetworkByteSource {
  /// The address after redirects; until a server answers, the requested one.
  public var effectiveAddress: WebAddress { state { $0.trail.origin ?? $0.trail.address } }

  /// The entries, if the address is a playlist and playlists are reported instead of followed.
  public var playlistEntries: [WebAddress]? {
    state {
      if case .playlist(let entries) = $0.failure?.kind { entries } else { nil }
    }
  }

  /// The type from the server: `audio/mpeg`; `nil` until it answers, and if it names none.
  public var contentType: String? { state { $0.record.contentType } }

  /// True if the stream has no end: a radio station.
  public var isLive: Bool { state { $0.kind.isLive } }

  /// True if all bytes have arrived.
  public var isComplete: Bool { state { $0.isComplete } }

  /// True if the server has answered.
  public var isOpen: Bool { state { !$0.isOpening } }

  /// True if the bytes at any offset can be requested.
  public var isSeekable: Bool { state { $0.kind.canRange } }

  /// True if any byte can be read without waiting for all bytes before it: the server sends parts, or all have arrived.
  public var allowsRandomAccess: Bool { state { $0.isComplete || $0.kind.canRange } }

  /// True if the byte at `offset` came from a pipe and was evicted: it cannot arrive again.
  public func isGone(_ offset: Int64) -> Bool {
    state {
      guard case .pipe = $0.kind else { return false }
      let present = $0.record.present
      return offset < present.ranges.last?.upperBound ?? 0 && !present.contains(offset)
    }
  }

  /// Seconds until the next attempt after a connection was lost, 0 during an attempt; `nil` while none is needed.
  public var reconnectionDelay: Double? {
    state { state in
      guard state.retries.attempt > 0, !state.record.isComplete else { return nil }
      return max(0, (state.retries.time - .now).inSeconds)
    }
  }

  /// True if the last attempt failed because the server is busy.
  public var isServerBusy: Bool { state { $0.isBusy } }

  /// The percentage of progress to the byte that the reader waits for, if all bytes before it have to arrive first.
  public var awaitedPercent: Int? {
    locked { resource, reader in
      let state = resource.state
      let end = state.record.present.end(from: 0)
      guard !state.isOpening, state.kind.comesInOrder, reader.position > end else { return nil }
      return Int(Double(end) / Double(reader.position) * 100)
    }
  }

  /// The ranges of bytes that have arrived, in ascending order.
  public var arrivedRanges: [Range<Int64>] { state { Array($0.record.present.ranges) } }

  /// The station's title at the reader's position; `nil` if it has sent none.
  public var streamTitle: String? { locked { resource, reader in resource.title(at: reader.position) } }

  /// The station's title at a byte of the stream; `nil` if it has sent none.
  public func title(at byteOffset: Int64) -> String? { locked { resource, _ in resource.title(at: byteOffset) } }

  /// The character set of its titles: `windows-1251 (guessed)`; `nil` if all are in UTF-8.
  public var titleCharset: String? { locked { resource, _ in resource.titleReading?.description } }

  /// Sets the number of bytes of a station that are kept for seeks back. `losesUnread`: true to evict the oldest bytes
  /// even if they are unread, as during a pause; false to make the station wait.
  public func keep(latest byteCount: Int64, losesUnread: Bool) {
    locked { resource, _ in resource.keep(latest: byteCount, losesUnread: losesUnread) }
  }

  /// The station's name (`icy-name`); `nil` if the server sends none.
  public var stationName: String? { state { $0.stationName } }

  /// The facts of an address that was resolved; `nil` for other addresses.
  public var resolution: Resolution? { state { $0.resolution } }

  /// The notices since the last call, oldest first.
  public func takeNotices() -> [NetworkNotice] {
    locked { _, reader in
      defer { reader.notices.removeAll() }
      return reader.notices
    }
  }
}
