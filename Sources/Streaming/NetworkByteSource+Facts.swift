public import ByteIO
internal import Threads

// What is known of a stream.
extension NetworkByteSource {
  /// Where it is in the end, after redirects; as it was asked for while nobody has answered.
  public var effectiveAddress: WebAddress { monitor.locked { origin ?? address } }

  /// What the server calls it: `audio/mpeg`.
  public var contentType: String? { monitor.locked { spool.record.contentType } }

  /// Whether it has no end: a radio station.
  public var isLive: Bool { monitor.locked { !hasEnd } }

  /// Whether all bytes are there.
  public var isComplete: Bool { monitor.locked { !isOpening && spool.record.isComplete } }

  /// Whether the server has answered.
  public var isOpen: Bool { monitor.locked { !isOpening } }

  /// Seconds until the next try after a connection was lost, 0 while one is made; `nil` while there is no need of one.
  public var reconnectionDelay: Double? {
    monitor.locked {
      guard attempt > 0, !spool.record.isComplete else { return nil }
      let now = monotonicNanoseconds()
      return retryTime > now ? Double(retryTime - now) / 1e9 : 0
    }
  }

  /// How far it has come to the byte that the reader waits for, 0...100, where all before that has to come first.
  public var awaitedPercent: Int? {
    monitor.locked {
      let end = spool.record.present.end(from: 0)
      guard !isOpening, hasEnd, !canRange, timeline == nil, position > end else { return nil }
      return Int(Double(end) / Double(position) * 100)
    }
  }

  /// Which bytes are there.
  public var arrivedRanges: [Range<Int64>] { monitor.locked { Array(spool.record.present.ranges) } }

  /// What the station says is playing where the reader is.
  public var streamTitle: String? { title(at: monitor.locked { position }) }

  /// The same at a byte.
  public func title(at byteOffset: Int64) -> String? {
    monitor.locked { titles.last { $0.byteOffset <= byteOffset }?.title }
  }

  /// How much of a station is kept to go back in, and whether even what was not read goes when there is more: as while
  /// the listener pauses, and it sends on. Otherwise it is made to wait.
  public func keep(latest byteCount: Int64, losesUnread: Bool) {
    monitor.locked {
      guard !isOpening, !hasEnd else { return }
      budget.byteLimit = max(Self.leastRing, min(byteCount, network.configuration.memoryByteLimit))
      guard losesUnread != budget.losesUnread else { return }
      budget.losesUnread = losesUnread
      resumeIfThereIsRoom()
    }
  }

  /// Some seconds of any station: what lies between the network and the decoder.
  private static let leastRing: Int64 = 1 << 18

  /// The station's name.
  public var stationName: String? { monitor.locked { station } }

  /// What happened since the last call, oldest first.
  public func takeNotices() -> [NetworkNotice] {
    monitor.locked {
      defer { notices.removeAll() }
      return notices
    }
  }
}
