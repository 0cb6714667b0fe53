public import AudioModel
public import ByteIO
public import Playback
public import Commands

/// A snapshot of everything that clients can see of the player.
public struct PlayerSnapshot: Sendable {
  public var snapshot = PlaybackSnapshot()
  public var queue = PlayQueue()
  /// The number of changes of the queue's entries, from 1.
  public var queueVersion = 1
  public var outputs = OutputList()
  public var settings = Settings()
  /// 0...1.
  public var volume = 1.0
  public var isMuted = false
  /// The folder where relative paths of entries start. Clients may have other current folders.
  public var folder = BytePath("/")
  /// The music library; `nil` if there is none, or if no client needs it.
  public var library: LibrarySnapshot?
  /// Another number after each change of the library's playlists, as far as clients were told.
  public var playlists = 0
  /// The channels on which connections take messages.
  public var channels: Set<String> = []
  /// The number of scans of the library, and whether the last one still runs.
  public var scan = (number: 0, isRunning: false)
  /// The stream that is served; `nil` if none is.
  public var stream: StreamStatus?
  /// The time of playing since the start.
  public var played = PlayedTime()
  public var now = MonotonicTime.zero
  /// Tags and durations of entries, as far as they were read.
  public var facts: [QueueEntry.ID: TrackFacts] = [:]

  /// The library's facts about `entry`, for the connection that has asked for them.
  public var heard: HeardTrack?

  /// Tags that clients have given to addresses, by entry.
  public var givenTags: [QueueEntry.ID: [GivenTag]] = [:]

  public var cover: (id: QueueEntry.ID, file: BytePath)?

  /// A stopped player.
  public init() {}

  /// The entry that plays, or is current in a stopped queue.
  public var entry: QueueEntry? { isLoaded ? snapshot.entry : queue.current }

  public func whole(_ location: MediaLocation) -> MediaLocation {
    switch location {
    case .file(let path): .file(folder.appending(path))
    case .track(let path, let number): .track(folder.appending(path), number: number)
    case .url: location
    }
  }

  public var isLoaded: Bool { snapshot.state != .stopped && snapshot.entry != nil }

  public var row: Int? {
    // The row of the queue's cursor is known; any other one is searched for.
    guard let entry else { return nil }
    if let row = queue.currentIndex, queue.entries[row].id == entry.id { return row }
    return queue.index(of: entry.id)
  }

  /// Seconds into the track.
  public var position: Double { isLoaded ? snapshot.position(at: now) : 0 }

  public var tags: TrackTags? { isLoaded ? snapshot.information.tags : nil }

  /// Seconds; `nil` if unknown or endless.
  public var duration: Double? {
    guard isLoaded else { return entry.flatMap { facts[$0.id]?.duration } }
    return snapshot.information.duration.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }

  public var chapter: String? { isLoaded ? snapshot.chapterTitle(at: position) : nil }

  /// The title: of the tags, of the station, or `nil`.
  public var title: String? {
    if isLoaded, snapshot.stream?.isLive == true, let title = snapshot.stream?.title?.visible { return title }
    return tags?.title ?? entry.flatMap { facts[$0.id]?.title }
  }

  /// The artist of the track or of its album; tags of the loaded track win over facts from the list.
  public var artist: String? { tags?.artist ?? tags?.albumArtist ?? entry.flatMap { facts[$0.id]?.artist } }

  public var album: String? { tags?.album ?? entry.flatMap { facts[$0.id]?.album } }

  public func changes(since old: PlayerSnapshot) -> PlayerChanges {
    var changes: PlayerChanges = []
    if (snapshot.state, snapshot.reason) != (old.snapshot.state, old.snapshot.reason) { changes.insert(.state) }
    if entry != old.entry || isLoaded != old.isLoaded
      || isLoaded
        && (snapshot.information.tags != old.snapshot.information.tags
          || snapshot.information.duration != old.snapshot.information.duration
          || snapshot.stream?.title != old.snapshot.stream?.title
          || snapshot.stream?.stationName != old.snapshot.stream?.stationName)
    {
      changes.insert(.track)
    }
    if (volume, isMuted) != (old.volume, old.isMuted) { changes.insert(.volume) }
    if queueVersion != old.queueVersion { changes.insert(.queue) }
    if (queue.isShuffled, queue.repeatMode, queue.stopPoint, queue.consumption)
      != (old.queue.isShuffled, old.queue.repeatMode, old.queue.stopPoint, old.queue.consumption)
    {
      changes.insert(.modes)
    }
    if settings != old.settings { changes.insert(.settings) }
    if channels != old.channels { changes.insert(.channels) }
    if playlists != old.playlists { changes.insert(.playlists) }
    if stream != old.stream { changes.insert(.stream) }
    if outputs != old.outputs || snapshot.route?.device != old.snapshot.route?.device
      || sampleChanges(snapshot) != sampleChanges(old.snapshot)
    {
      changes.insert(.output)
    }
    return changes
  }
}

public struct GivenTag: Sendable, Hashable {
  /// Its name in MPD.
  var tag: String
  var value: String
}

/// A clock that runs while the player plays.
public struct PlayedTime: Sendable {
  private var total = TimeSpan.zero
  private var start: MonotonicTime?

  public init() {}

  public mutating func note(isPlaying: Bool, at now: MonotonicTime) {
    guard isPlaying != (start != nil) else { return }
    (total, start) = (span(at: now), isPlaying ? now : nil)
  }

  /// The time so far.
  public func span(at now: MonotonicTime) -> TimeSpan { start.map { total + (now - $0) } ?? total }
}

/// The stream that is served over HTTP.
public struct StreamStatus: Sendable, Hashable {
  public var address: ListenAddress
  /// `StreamFormat.rawValue`.
  public var format: String
  public var listenerCount: Int

  public init(address: ListenAddress, format: String, listenerCount: Int) {
    (self.address, self.format, self.listenerCount) = (address, format, listenerCount)
  }
}
