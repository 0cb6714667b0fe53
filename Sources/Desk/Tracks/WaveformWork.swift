internal import ByteIO
internal import Commands
internal import Glibc
internal import Playback
internal import Streaming

/// Measures the waveforms of tracks. On the thread of the waveforms.
struct WaveformWork: Sendable {
  let cache: WaveformCache?
  let network: Network

  /// The waveform of an entry; `nil` for a track that cannot be read: playing it reports the reason.
  ///
  /// - Parameter isWanted: Called often; false ends it early.
  func waveform(of entry: QueueEntry, isWanted: @escaping @Sendable () -> Bool) -> Answer? {
    let key = cache?.key(of: entry.location)
    let known = key.flatMap { cache?.waveform($0) }
    guard let waveform = known ?? measure(entry.location, isWanted) else { return nil }
    if let key, known == nil { cache?.keep(waveform, key) }
    return .waveform(waveform, entryID: entry.id)
  }

  /// A pipe can be read only once, by the engine.
  private func measure(_ location: MediaLocation, _ isWanted: @escaping @Sendable () -> Bool) -> Waveform? {
    if let path = location.path, !Self.isRegular(path) { return nil }
    do throws(TrackError) { return try Waveform.read(location, network: network, isWanted: isWanted) } catch {
      return nil
    }
  }

  private static func isRegular(_ path: BytePath) -> Bool {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
