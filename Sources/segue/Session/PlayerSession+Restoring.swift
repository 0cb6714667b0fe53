internal import ByteIO
internal import Library
internal import Playback
internal import TerminalUI
internal import Threads

extension PlayerSession {
  /// What is to come back some day, but for what the screen remembers.
  var record: SessionRecord {
    var record = SessionRecord()
    let snapshot = engine.snapshot
    // What waits would play.
    record.state = snapshot.state == .waiting ? .playing : snapshot.state
    record.current = queue.currentIndex
    record.track = queue.current.map { PlaylistWriter.line(for: $0.location) } ?? []
    // A station comes back live.
    let isLive = snapshot.stream?.isLive == true
    if snapshot.state != .stopped, snapshot.entry?.id == queue.current?.id, !isLive {
      record.position = max(0, snapshot.position(atNanoseconds: monotonicNanoseconds()))
    }
    (record.volume, record.isMuted) = (volume, isMuted)
    (record.isShuffled, record.repeatMode) = (queue.isShuffled, queue.repeatMode)
    return record
  }

  /// How loud it was, and how the queue went on.
  func restoreModes(of record: SessionRecord) {
    setVolume(record.volume)
    setMuted(record.isMuted)
    changeModes {
      $0.repeatMode = record.repeatMode
      $0.isShuffled = record.isShuffled
    }
  }

  /// Goes on where it was left: playing if it was, or silent at the same sample.
  ///
  /// - Parameter place: The current entry's place in the queue.
  func restorePlaying(of record: SessionRecord, at place: Int) {
    let entry = select(place: place)
    guard record.state != .stopped else { return }
    play(entry, from: record.position)
    if record.state == .paused { perform(.pause) }
  }
}
