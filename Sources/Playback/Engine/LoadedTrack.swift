internal import AudioModel
internal import SignalProcessing

/// A track that is open: its entry and what reads it. Owned by the feeder.
final class LoadedTrack {
  let entry: QueueEntry
  let reader: TrackReader
  /// The same with what is done to the sound.
  let shaped: ShapedReader

  init(entry: QueueEntry, reader: TrackReader, sound: SoundSettings, continuing previous: LoadedTrack?) {
    self.entry = entry
    self.reader = reader
    shaped = ShapedReader(reader, of: entry.location, settings: sound, continuing: previous?.shaped)
  }

  /// Reads on, with the sound as it is to be now.
  func read(into bytes: UnsafeMutableRawBufferPointer, _ sound: SoundSettings) throws(TrackError) -> Int {
    shaped.settings = sound
    return try shaped.read(into: bytes)
  }

  /// Goes on with that frame, with the sound as it is to be now.
  func seek(toFrame frame: Int64, _ sound: SoundSettings) throws(TrackError) -> Int64 {
    shaped.settings = sound
    return try shaped.seek(toFrame: frame)
  }

  /// Seconds at one of its frames.
  func seconds(atFrame frame: Int64) -> Double { Double(frame) / Double(reader.pcmFormat.sampleRate) }

  /// The frame nearest to so many seconds.
  func frame(atSeconds seconds: Double) -> Int64 {
    Int64(exactly: (seconds * Double(reader.pcmFormat.sampleRate)).rounded()) ?? .max
  }
}
