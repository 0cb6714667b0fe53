internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Containers
internal import Streaming

// One track after the other: how each is opened, ends or fails, and what is known to follow it.
extension Feeder {
  /// Opens an entry, or what is left of it behind `part`.
  func open(_ entry: QueueEntry, behind part: LoadedTrack? = nil) -> LoadedTrack? {
    if part == nil {
      lastOpened = entry
      following = nil
      successor = nil
      notices.append(.needsNext(after: entry.id))
    }
    let opened = opening
    opening = nil
    do throws(TrackError) {
      let previous = timeline.last?.track
      let reader =
        if let opened { try opened.take() } else {
          try TrackReader(location: entry.location, continuing: previous?.reader)
        }
      let track = LoadedTrack(
        entry: entry, reader: reader, sound: sound, continuing: previous, startSeconds: part?.endSeconds ?? 0)
      if let seconds = reader.stream?.toldBeginning {
        _ = try track.enter(atFrame: track.frame(atSeconds: seconds), sound)
      }
      hasLastFailed = false
      return track
    } catch {
      fail(entry, error, of: opened?.playlistEntries)
      return nil
    }
  }

  /// Reads on at another place; what is queued is dropped when the first buffer from there is ready.
  func enter(_ track: LoadedTrack, bySeekTo seconds: Double) {
    do throws(TrackError) {
      enter(track, atFrame: try track.enter(atFrame: max(0, track.frame(atSeconds: seconds)), sound))
      sought = seconds
    } catch {
      dropQueue()
      fail(track.entry, error)
    }
  }

  func enter(_ track: LoadedTrack, atFrame frame: Int64) {
    reading = track
    entering = frame
    (sought, beyond) = (nil, nil)
    dropsQueued = true
    pendingPosition = track.seconds(atFrame: frame)
    let isOpenedAhead = successor != nil
    successor = nil
    // A seek back from the next track, which was being read already, into the one that is heard.
    if lastOpened != track.entry || isOpenedAhead { askForNext(after: track) }
  }

  /// What follows the track is to be opened again.
  func askForNext(after track: LoadedTrack) {
    lastOpened = track.entry
    following = nil
    successor = nil
    notices.append(.needsNext(after: track.entry.id))
  }

  /// The entry cannot be played: because it is a playlist, perhaps, of `locations`.
  func fail(_ entry: QueueEntry, _ error: TrackError, of locations: [MediaLocation]? = nil) {
    reading = nil
    forgetRest(of: entry)
    hasLastFailed = true
    notices.append(
      locations.map { .foundPlaylist(entry, $0) } ?? .trackFailed(entry, message: error.description))
  }

  func finishReading(_ track: LoadedTrack) {
    if let damage = track.reader.damage { notices.append(.trackDamaged(track.entry, message: damage.description)) }
    reading = nil
    if goesOn(behind: track) { return }
    if dropsQueued { dropQueue() }
    // Repeated, it would come round without end.
    if entering == 0 {
      fail(track.entry, .container(ContainerError(.invalidFile, "no frame of it is to be heard")))
    } else if track.reader.continuation != nil {
      fail(
        track.entry,
        .container(ContainerError(.unsupportedDataFormat, "the station sends next to nothing that can be played")))
    }
  }

  /// At the end of one track: on to the next, if it is known what that is.
  func goOn() -> Bool {
    if let part = unfinished { return continueEntry(behind: part) }
    if successor == nil {
      guard let following else { return false }
      guard let entry = following else {
        dispatch(hasLastFailed && audibleTimeline.segments.isEmpty ? .trackFailed : .sourceEnded)
        return false
      }
      guard isReadyToOpen(entry) else { return false }
      successor = open(entry)
    }
    guard let track = successor else { return true }
    successor = nil
    begin(reading: track)
    return true
  }

  /// Learns what follows the entry with that id. What was read ahead in its place is taken back, unless that is about to
  /// be heard.
  func follow(_ id: QueueEntry.ID, with entry: QueueEntry?) {
    var chain = dropsQueued ? [] : ((outgoing?.timeline.segments ?? []) + timeline.segments).map(\.track)
    if entering != nil, let reading { chain.append(reading) }
    if let successor { chain.append(successor) }
    if var place = chain.firstIndex(where: { $0.entry.id == id }) {
      while place + 1 < chain.count, chain[place + 1].isContinuation { place += 1 }
      let isReadOn = chain.indices.contains(place + 1)
      let isOther = (isReadOn ? chain[place + 1].entry : lastOpened)?.id != entry?.id
      if isOther, isReadOn ? takeBack(behind: place) : reading == nil { lastOpened = chain[place].entry }
    }
    guard lastOpened?.id == id else { return }
    following = .some(entry)
    if entry != nil { dispatch(.sourceContinues) }
  }

  /// Takes back what is queued, or being read, behind a segment of the timeline. Returns whether that was possible.
  func takeBack(behind place: Int) -> Bool {
    let outgoingCount = outgoing?.timeline.segments.count ?? 0
    let isOutgoing = place < outgoingCount
    let segments = isOutgoing ? audibleTimeline.segments[place...] : timeline.segments[(place - outgoingCount)...]
    // Before its first frame is queued a track is in none.
    guard !dropsQueued, let segment = segments.first else {
      successor = nil
      return true
    }
    let end = segments.dropFirst().first?.queueFrame ?? segment.queueFrameOfExit
    guard (isOutgoing ? outgoing?.queue : queue)?.takeBack(from: end ?? .max) != false else { return false }
    // What was prepared as its successor goes, too.
    if isOutgoing { recallQueue() }
    if let end { queueEnd = end }
    let next = segments.dropFirst().first?.track
    timeline.keep(first: segments.startIndex + 1)
    if successor == nil || end != nil { reading = nil }
    successor = nil
    entering = nil
    announcesTrack = false
    readEnd(of: segment.track, before: next)
    return true
  }

  /// A track is heard from now on.
  func begin(_ track: LoadedTrack) {
    let isKnown = track.isContinuation && announced == track.entry
    (current, announced) = (track.entry, track.entry)
    shown = track
    nameSound(of: track)
    if isKnown { return }
    notices.append(.trackBegan(track.entry, name: TrackName(track.information.tags)))
    isLooped = false
  }

  /// Tells mixers what they show.
  private func nameSound(of track: LoadedTrack) {
    let tags = track.reader.information.tags
    output.setTrack(title: tags.title ?? track.entry.location.description, artist: tags.artist)
  }

  /// Reads a slice ahead for exact seeks and durations while there is nothing better to do.
  @discardableResult
  func refine(_ track: LoadedTrack) -> Bool {
    guard track.reader.isRefinable else { return false }
    if track.reader.advanceIndex() {
      notices.append(.informationRefined)
      if track === shown { nameSound(of: track) }
    }
    return track.reader.isRefinable
  }
}
