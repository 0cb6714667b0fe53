internal import AudioModel
internal import ByteIO
internal import Threads

// A live stream: segments as they appear in its playlist.
extension HLSFeed {
  /// Returns the place at which the stream continues in another encoding, if it does.
  mutating func playLive(
    _ begun: HLSPlaylist, at origin: WebAddress
  ) throws(NetworkError) -> StreamContinuation? {
    var (playlist, place) = (begun, origin)
    var progress = Progress()
    var next = beginning?.segment
    // A playlist without new segments ends the stream after some time.
    var staleTime = TimeSpan.zero
    while true {
      let loadTime = MonotonicTime.now
      // Numbers that start again mean another stream, unless one of several servers is behind.
      if let last = playlist.segments.last?.number, let expected = next,
        last + 1 + playlist.segments.count < expected
      {
        next = nil
      }
      if let first = playlist.segments.first?.number, let expected = next, first > expected {
        source?.announce(.rejoined)
      }
      let first = next ?? playlist.firstNumber ?? 0
      for segment in playlist.segments where segment.number >= first {
        switch try give(segment, &progress) {
        case .done: next = segment.number + 1
        case .otherEncoding: return StreamContinuation(segment: segment.number)
        case .over: return nil
        }
      }
      if playlist.hasEnd { return nil }
      // A playlist without new segments is fetched again after half of the time (RFC 8216 6.3.4).
      let isStale = playlist.segments.last.map { $0.number < first } ?? true
      let pause = TimeSpan.seconds(max(0.5, min(playlist.targetSeconds ?? 5, 30)) * (isStale ? 0.5 : 1))
      // The time for the segments counts, or a slow link would fall behind.
      let rest = pause - (.now - loadTime)
      staleTime = isStale ? staleTime + pause : .zero
      guard staleTime < network.configuration.stallLimit * 4 else {
        throw NetworkError(.interrupted, "the HLS playlist has had nothing new for \(Int(staleTime.inSeconds)) s")
      }
      guard gate.sleep(for: rest) else { return nil }
      do throws(NetworkError) { (playlist, place) = try self.playlist(at: place) } catch {
        // An empty or other document may come from a server that is just being changed: as if nothing were new.
        guard hasBegun, !error.mayPass, !error.isRefusal else { throw error }
      }
      guard playlist.variants.isEmpty else { throw NetworkError(.unusable, "the HLS playlist has changed its kind") }
    }
  }

  private enum Given {
    case done, otherEncoding
    /// No more segments are needed.
    case over
  }

  private mutating func give(_ segment: HLSPlaylist.Segment, _ progress: inout Progress) throws(NetworkError) -> Given {
    let fetched: Fetched
    do throws(NetworkError) { fetched = try content(of: segment, &progress) } catch {
      // The station continues without this segment.
      guard hasBegun, error.mayPass || error.isRefusal else { throw error }
      source?.announce(.rejoined)
      return gate.fetch(nil) ? .done : .over
    }
    switch fetched {
    case .content(let content):
      return push(content, of: nil, isLive: true, isFragment: segment.header != nil) == .done ? .done : .over
    case .otherEncoding: return .otherEncoding
    case .unwanted: return .over
    }
  }
}
