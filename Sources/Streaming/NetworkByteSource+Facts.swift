public import ByteIO
internal import Threads

// What is known of a stream.
extension NetworkByteSource {
  /// Where it is in the end, after redirects; as it was asked for while nobody has answered.
  public var effectiveAddress: WebAddress { locked { resource.origin ?? resource.address } }

  /// What the playlist names that it turned out to be, where that is not followed but told.
  public var playlistEntries: [WebAddress]? {
    locked {
      guard case .failed(let error) = resource.phase, case .playlist(let entries) = error.kind else { return nil }
      return entries
    }
  }

  /// What the server calls it: `audio/mpeg`.
  public var contentType: String? { locked { resource.spool.record.contentType } }

  /// Whether it has no end: a radio station.
  public var isLive: Bool { locked { !resource.hasEnd } }

  /// Whether all bytes are there.
  public var isComplete: Bool { locked { resource.isComplete } }

  /// Whether the server has answered.
  public var isOpen: Bool { locked { !resource.isOpening } }

  /// Seconds until the next try after a connection was lost, 0 while one is made; `nil` while there is no need of one.
  public var reconnectionDelay: Double? {
    locked {
      guard resource.attempt > 0, !resource.spool.record.isComplete else { return nil }
      let now = monotonicNanoseconds()
      return resource.retryTime > now ? Double(resource.retryTime - now) / 1e9 : 0
    }
  }

  /// How far it has come to the byte that the reader waits for, 0...100, where all before that has to come first.
  public var awaitedPercent: Int? {
    locked {
      let end = resource.spool.record.present.end(from: 0)
      guard !resource.isOpening, resource.hasEnd, !resource.canRange, resource.timeline == nil, reader.position > end
      else { return nil }
      return Int(Double(end) / Double(reader.position) * 100)
    }
  }

  /// Which bytes are there.
  public var arrivedRanges: [Range<Int64>] { locked { Array(resource.spool.record.present.ranges) } }

  /// What the station says is playing where the reader is.
  public var streamTitle: String? { title(at: locked { reader.position }) }

  /// The same at a byte.
  public func title(at byteOffset: Int64) -> String? {
    locked { resource.title(at: byteOffset) }
  }

  /// How much of a station is kept to go back in, and whether even what was not read goes when there is more: as while
  /// the listener pauses, and it sends on. Otherwise it is made to wait.
  public func keep(latest byteCount: Int64, losesUnread: Bool) {
    locked {
      guard !resource.isOpening, !resource.hasEnd else { return }
      resource.budget.byteLimit = max(Self.leastRing, min(byteCount, resource.network.configuration.memoryByteLimit))
      guard losesUnread != resource.budget.losesUnread else { return }
      resource.budget.losesUnread = losesUnread
      resource.resumeIfThereIsRoom()
    }
  }

  /// Some seconds of any station: what lies between the network and the decoder.
  private static let leastRing: Int64 = 1 << 18

  /// The station's name.
  public var stationName: String? { locked { resource.station } }

  /// What happened since the last call, oldest first.
  public func takeNotices() -> [NetworkNotice] {
    locked {
      defer { reader.notices.removeAll() }
      return reader.notices
    }
  }
}
