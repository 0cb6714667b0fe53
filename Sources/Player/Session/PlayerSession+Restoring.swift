internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
public import Playback

extension PlayerSession {
  var record: SessionRecord {
    var record = SessionRecord()
    let snapshot = engine.snapshot
    // A waiting track would play.
    record.state = snapshot.state == .waiting ? .playing : snapshot.state
    record.current = queue.currentIndex
    record.track = queue.current.map { PlaylistWriter.line(for: $0.location) } ?? []
    // A station resumes live.
    let isLive = snapshot.stream?.isLive == true
    if snapshot.state != .stopped, snapshot.entry?.id == queue.current?.id, !isLive {
      record.position = max(0, snapshot.position(at: now()))
    }
    (record.volume, record.isMuted, record.deviceVolumes) = (volume, isMuted, sessionSettings.chooser.volumes.entries)
    (record.isShuffled, record.repeatMode) = (queue.isShuffled, queue.repeatMode)
    record.consumption = queue.consumption
    (record.turn, record.seed) = (queue.turn, queue.seed)
    (record.changes, record.place) = (sessionSettings.changesByHand, place)
    record.albumSpeed = sessionSettings.savedSpeed
    return record
  }

  /// Restores the volume, the modes of the queue, and the turns of its entries if it is the queue of that session.
  public func restoreModes(of record: SessionRecord, _ turns: QueueTurns? = nil) {
    sessionSettings.setVolume(record.volume)
    sessionSettings.chooser.volumes = DeviceVolumes(record.deviceVolumes)
    sessionSettings.setMuted(record.isMuted)
    changeModes {
      ($0.repeatMode, $0.consumption) = (record.repeatMode, record.consumption)
      turns?.restore(&$0, turn: record.turn, seed: record.seed)
      $0.isShuffled = record.isShuffled
    }
  }

  /// Restores the speed of an album, for when it plays. After `adopt`, which knows the speed of the files.
  public func restoreSpeed(of record: SessionRecord) {
    if let speed = record.albumSpeed { sessionSettings.restore(speed) }
  }

  /// Plays the book that the queue is from the entry at which the listener left it. False if it is not to begin there.
  public func playBook(from bookmark: Int?) -> Bool {
    guard let bookmark, settings.resume != nil, !queue.isShuffled, queue.entries.indices.contains(bookmark) else {
      return false
    }
    sessionQueue.play(queue.entries[bookmark].id)
    say("playing " + SessionQueue.sentence(on: bookmark, of: queue.entries.count), isLogged: true)
    return true
  }

  /// Restores playback: playing, or paused at the same sample.
  ///
  /// - Parameters:
  ///   - place: The current entry's place in the queue.
  ///   - isPaused: True to pause what played.
  public func restorePlaying(of record: SessionRecord, at place: Int, isPaused: Bool = false) {
    let entry = sessionQueue.select(place: place)
    // Sessions of earlier versions have the speed of what played only.
    if record.albumSpeed == nil { sessionSettings.holdSpeed(in: entry) }
    guard record.state != .stopped else { return }
    sessionQueue.play(entry, from: record.position)
    if record.state == .paused || isPaused { perform(.playback(.pause)) }
  }
}
