internal import AudioModel
internal import ByteIO
internal import Commands
public import Database
internal import Glibc
public import Library
internal import Playback
internal import SignalProcessing
internal import Threads

/// Measures the loudness of tracks of the library, one after another. Other programs may measure the same library: they
/// take turns, track by track. On the thread of the library's owner.
public struct LoudnessRun {
  private let store: LoudnessStore
  private let isWanted: () -> Bool
  /// Writing the gains takes at most a twentieth of the time.
  private var gainsDue = MonotonicTime.now + leastPause
  private static let (leastPause, share) = (TimeSpan.seconds(10), 20.0)

  /// - Parameter isWanted: Called often; false cancels. A track that was cancelled is measured from its start again.
  public init(_ library: MusicLibrary, isWanted: @escaping () -> Bool) {
    (store, self.isWanted) = (LoudnessStore(library), isWanted)
  }

  /// Measures a track, unless its loudness or its damage is known.
  ///
  /// - Parameter again: True to measure it even then.
  /// - Returns: `unknown` if it was cancelled or cannot be opened.
  public mutating func measure(
    _ track: LoudnessStore.Track, again: Bool = false
  ) throws(DatabaseError) -> LoudnessStore.State {
    var state = try store.state(of: track)
    guard again || state == .unknown else { return state }
    while isWanted() {
      let outcome = try store.exclusively { () throws(DatabaseError) in
        // Another program may have measured it meanwhile.
        let known = try store.state(of: track)
        guard again || known == .unknown else { return known }
        try store.begin(track)
        let new = result(of: track)
        try store.finish(track, new)
        return new
      }
      if let outcome {
        state = outcome
        break
      }
      usleep(200_000)
    }
    if .now >= gainsDue, try store.gainsAreOld() {
      let start = MonotonicTime.now
      try store.writeGains()
      gainsDue = .now + max(Self.leastPause, .seconds((.now - start).inSeconds * Self.share))
    }
    return state
  }

  private func result(of track: LoudnessStore.Track) -> LoudnessStore.State {
    do throws(TrackError) {
      return try MeasuredLoudness.read(MediaLocation(libraryPath: track.path), isWanted: isWanted)
        .map { .measured($0) } ?? .unknown
    } catch {
      // A file that cannot be opened is no damaged one: its disk may be away.
      if case .source = error { return .unknown }
      return .failed(reason: error.text(.place))
    }
  }

  /// Writes the gains for the player, if tracks were measured.
  public func finish() throws(DatabaseError) { if try store.gainsAreOld() { try store.writeGains() } }
}
