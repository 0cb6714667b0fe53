internal import AudioModel
/// A track that is open: its entry and what reads it. Owned by the feeder.
final class LoadedTrack {
  let entry: QueueEntry
  let reader: TrackReader

  init(entry: QueueEntry, reader: TrackReader) {
    self.entry = entry
    self.reader = reader
  }

  /// Seconds at one of its frames.
  func seconds(atFrame frame: Int64) -> Double { Double(frame) / Double(reader.pcmFormat.sampleRate) }

  /// The frame nearest to so many seconds.
  func frame(atSeconds seconds: Double) -> Int64 {
    Int64(exactly: (seconds * Double(reader.pcmFormat.sampleRate)).rounded()) ?? .max
  }
}
