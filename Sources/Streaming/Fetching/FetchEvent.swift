internal import AudioModel
internal import ByteIO

/// An event that `FetchMachine` handles. `reader` is the position of the reader that is served.
enum FetchEvent {
  /// The resource was opened.
  case begin
  /// A response begins.
  case head(HTTPResponseHead)
  /// The first bytes of the first body have arrived, with the kind of the playlist that they begin, if any.
  case beginning(PlaylistKind?)
  /// Bytes of a body have arrived and need room in the spool.
  case bytes(Int, reader: Int64)
  /// Bytes were stored; `newByteCount` of them are new.
  case stored(Range<Int64>, newByteCount: Int64)
  /// Bytes cannot be stored in the spool.
  case unstorable
  /// Bytes differ from those in the spool.
  case mismatch
  /// A body has arrived completely, or the error gives the reason why not.
  case ended(NetworkError?)
  /// A reader has read, waits, or has moved.
  case demand(reader: Int64)
  /// Bytes were given to a reader.
  case delivered
  /// A playlist was read: its entries, or `nil` if it is a playlist of HTTP live streaming.
  case playlist(Result<[WebAddress]?, NetworkError>)
  /// The requested address was resolved.
  case resolved(Result<Resolution, NetworkError>)
  /// Keep that many bytes of a live stream; `losesUnread`: even at the cost of bytes that nobody has read.
  case keepLatest(Int64, losesUnread: Bool, reader: Int64)
  /// The spool cannot be written, or no reader is left.
  case failed(NetworkError)
  /// An event of the thread that feeds segments.
  case feed(FeedEvent)
}

/// An event of the thread that feeds segments of HTTP live streaming.
enum FeedEvent {
  /// The playlist of a stream with an end is known.
  case playlist(HLSTimeline)
  /// The clock of a segment is known.
  case clock(SegmentClock, segment: Int)
  /// Bytes were stored.
  case stored(Range<Int64>, Facts)
  /// The next segment cannot be fetched.
  case segmentFailed(NetworkError)
  /// The stream continues with that segment, for another reader: the next one has another encoding, or is missing.
  case continues(at: Int)
  /// The rest of the last segment will not follow.
  case segmentAbandoned
  /// The thread has ended: nothing follows, a stream in another encoding follows, or the error gives the reason.
  case ended(Result<StreamContinuation?, NetworkError>)

  /// Facts about bytes of a segment.
  struct Facts: Hashable {
    /// Number of the segment, if the stream has an end.
    var segment: Int?
    var isLive: Bool
    var contentType: String
  }
}

/// The decision about bytes that the feeding thread has fetched.
enum FeedAdmission: Hashable {
  /// Store them at this offset.
  case at(Int64)
  /// There is no room until the reader moves.
  case full
  /// These bytes are not needed.
  case dropped
  /// No more bytes are needed.
  case over
}

/// An effect that `NetworkResource` performs for `FetchMachine`.
enum FetchEffect: Hashable {
  /// Start a request at that time or later, and cancel the current one.
  case request(TransferRequest, at: MonotonicTime)
  case cancel
  /// Resume the transfer that is paused.
  case resume
  /// Release the space of bytes in the spool.
  case evict(Range<Int64>)
  /// Delete all bytes in the spool, and its record.
  case clearSpool
  /// Use an empty spool in memory, and leave nothing in the cache folder.
  case useMemory
  /// Leave these bytes where they are, and store further ones in memory.
  case continueInMemory(ByteRanges)
  /// Make room for so many bytes in the cache folder.
  case makeRoom(Int64)
  /// Write the record of the spool.
  case save
  /// Fetch a playlist whole, and report its entries with `.playlist`.
  case readPlaylist(WebAddress)
  /// Resolve the requested address, and report the result with `.resolved`.
  case resolve(WebAddress)
  /// Start the thread that feeds segments.
  case startFeed
  /// Tell that thread to stop.
  case endFeed
  /// Tell that thread that there may be room.
  case wakeFeed
  /// Tell that thread that the reader has moved elsewhere.
  case interruptFeed
  /// Report something to all readers.
  case note(NetworkNotice)
  /// Wake readers whose wait is over; all of them if there is news.
  case notify(isNews: Bool)
  /// Choose the reader to serve, and report its position with `.demand`.
  case plan
}
