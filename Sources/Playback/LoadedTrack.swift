/// A track that is open: its place in the queue and what reads it. Owned by the feeder.
final class LoadedTrack {
  let entry: QueueEntry
  let reader: TrackReader

  init(entry: QueueEntry, reader: TrackReader) {
    self.entry = entry
    self.reader = reader
  }

  /// Frames per second of what is read.
  var sampleRate: Double { Double(reader.pcmFormat.sampleRate) }
}
