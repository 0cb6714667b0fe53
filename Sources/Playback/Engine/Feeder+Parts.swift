internal import AudioModel
internal import Streaming

// An entry in parts: a stream that goes on in another encoding. What is left of it is opened when it comes to that, by an
// opening of its own, as how it is encoded cannot be known before; it follows without a gap as a track of another format
// does, and is the same entry to the listener.
extension Feeder {
  /// The part that was read last and is not all of its entry, if nothing follows it yet.
  var unfinished: LoadedTrack? {
    let part = beyond?.part ?? (timeline.last ?? outgoing?.timeline.last)?.track
    return part?.rest == nil ? nil : part
  }

  /// Notices at the end of a part whether it is not all.
  func goesOn(behind part: LoadedTrack) -> Bool {
    let rest = part.reader.continuation
    guard rest != nil, rest != .now || isWorthAsking(behind: part) else { return false }
    part.rest = rest
    if entering != nil { beyond = (part, dropsQueued ? sought ?? 0 : nil) }
    return true
  }

  /// Whether a station has sent enough that can be heard to be asked again: not who was asked and sends next to nothing.
  private func isWorthAsking(behind part: LoadedTrack) -> Bool {
    let seconds = Double(part.nextFrame) / Double(part.reader.pcmFormat.sampleRate)
    return entering == nil && (!part.isContinuation || seconds >= 2)
  }

  /// On to what is left of an entry. Returns whether there is more to do at once.
  func continueEntry(behind part: LoadedTrack) -> Bool {
    let track: LoadedTrack
    if part.rest?.byteOffset != nil {
      do throws(TrackError) {
        guard let link = try link(behind: part) else { return true }
        track = link
      } catch {
        if error.isWait { return awaitSource(part.reader.stream, percent: part.reader.stream?.awaitedPercent) }
        fail(part.entry, error)
        return true
      }
    } else {
      guard isReadyToOpen(part.entry, from: part.rest) else { return false }
      guard let rest = open(part.entry, behind: part) else { return true }
      track = rest
    }
    if let seconds = beyond?.seconds {
      shown = track
      enter(track, bySeekTo: seconds)
    } else {
      beyond = nil
      begin(reading: track)
    }
    return true
  }

  /// The next link of a chained stream, which another reader of the same bytes reads.
  private func link(behind part: LoadedTrack) throws(TrackError) -> LoadedTrack? {
    guard let reader = try TrackReader(behind: part.reader) else {
      forgetRest(of: part.entry)
      return nil
    }
    hasLastFailed = false
    return LoadedTrack(
      entry: part.entry, reader: reader, sound: sound, continuing: timeline.last?.track,
      startSeconds: part.endSeconds)
  }

  /// What is left of an entry is not wanted, or cannot be had.
  func forgetRest(of entry: QueueEntry) {
    if let part = unfinished, part.entry == entry { part.rest = nil }
    beyond = nil
  }
}
