internal import ByteIO
internal import Threads

/// An event that `FetchMachine` handles. `reader` is the place of the reader that is served.
enum FetchEvent {
  /// The resource was opened.
  case begin
  /// A response begins.
  case head(HTTPResponseHead)
  /// The first bytes of the first body are there; the playlist that they begin, if they do.
  case beginning(PlaylistKind?)
  /// So many bytes of a body want a place in the spool.
  case bytes(Int, reader: Int64)
  /// Bytes were stored; so many were not there before.
  case stored(Range<Int64>, newByteCount: Int64)
  /// Bytes differ from those that the spool has in their place.
  case mismatch
  /// A body has come whole, or the error says why not.
  case ended(NetworkError?)
  /// A reader has read, waits, or has moved.
  case demand(reader: Int64)
  /// Bytes were given to a reader.
  case delivered
  /// A playlist was read: its entries, or nil where it is one of HTTP live streaming.
  case playlist(Result<[WebAddress]?, NetworkError>)
  /// So much of a live stream is to be kept; `losesUnread`: even at the cost of bytes that nobody has read.
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
  /// The next segment cannot be had.
  case segmentFailed(NetworkError)
  /// The next segment has another encoding.
  case encodingChanged
  /// The rest of the last segment will not follow.
  case segmentAbandoned
  /// The thread has ended: nothing follows, or a stream in another encoding does, or the error says why not.
  case ended(Result<StreamContinuation?, NetworkError>)

  /// Facts about bytes of a segment.
  struct Facts: Hashable {
    /// Number of the segment, where the stream has an end.
    var segment: Int?
    var isLive: Bool
    var contentType: String
  }
}

/// The decision about bytes that the feeding thread has fetched.
enum FeedAdmission: Hashable {
  /// They belong there.
  case at(Int64)
  /// There is no room until the reader has moved.
  case full
  /// Nobody wants these bytes.
  case dropped
  /// Nobody wants more.
  case over
}

/// An effect that `NetworkResource` performs for `FetchMachine`.
enum FetchEffect: Hashable {
  /// Start a request, and cancel the one that is under way. Not before `at`.
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
  /// Make room for so many bytes in the cache folder.
  case makeRoom(Int64)
  /// Write the record of the spool.
  case save
  /// Fetch a playlist whole, and report its entries with `.playlist`.
  case readPlaylist(WebAddress)
  /// Start the thread that feeds segments.
  case startFeed
  /// Tell that thread that nobody wants more.
  case endFeed
  /// Tell that thread that there may be room.
  case wakeFeed
  /// Tell that thread that the reader is elsewhere.
  case interruptFeed
  /// Report something to all readers.
  case note(NetworkNotice)
  /// Wake readers whose wait is over; all of them if there is news.
  case notify(isNews: Bool)
  /// Choose the reader to serve, and report its place with `.demand`.
  case plan
}
