internal import ByteIO

// A stream with an end: segments in the order in which the reader needs them.
extension HLSFeed {
  /// `first`: the first segment that is not missing, once that is known. The stream begins there.
  mutating func playOnDemand(_ playlist: HLSPlaylist, from first: Int? = nil) throws(NetworkError) {
    guard !playlist.segments.isEmpty else { return }
    let timeline = HLSTimeline(
      playlist.segments, startOffset: playlist.startOffset, from: beginning, firstPresent: first ?? 0)
    source?.report(.playlist(timeline))
    // The state of reading each run, so that it can be continued.
    var runs: [Int: Progress] = [:]
    // The state after the first segment: each run needs its header.
    var begun = Progress()
    while gate.begin() {
      let rings = gate.rings
      switch source?.nextSegment() ?? .over {
      case .over: return
      case .nothing, .finished: guard hasBegun, gate.waitForRoom(after: rings) else { return }
      case .segment(let number, let run):
        let segment = playlist.segments[number]
        var progress = runs[run] ?? begun
        let fetched: Fetched
        do throws(NetworkError) {
          if segment.isGap { throw .missingSegment }
          fetched = try content(of: segment, &progress)
        } catch {
          let next = error.isRefusal ? available(after: number, of: playlist) : nil
          guard hasBegun else {
            // The time of a later part is known already.
            guard first == nil, beginning == nil, let next, next < playlist.segments.count else { throw error }
            announce(number..<next, of: playlist)
            return try playOnDemand(playlist, from: next)
          }
          if let next {
            announce(number..<next, of: playlist)
            source?.report(.continues(at: next))
          } else if gate.fetch(nil) {
            source?.report(.segmentFailed(error))
          }
          continue
        }
        guard case .content(let content) = fetched else {
          if case .otherEncoding = fetched { source?.report(.continues(at: number)) }
          continue
        }
        if begun.header == nil { (begun.header, begun.clock) = (progress.header, progress.clock) }
        if let clock = content.clock { source?.report(.clock(clock, segment: number)) }
        if runs.count >= Self.keptRunCount { runs = [:] }
        runs[run] = progress
        switch push(content, of: number, isLive: false, isFragment: segment.header != nil) {
        case .done: break
        case .interrupted:
          source?.report(.segmentAbandoned)
          runs[run] = nil
        case .over: return
        }
      }
    }
  }

  private static let keptRunCount = 16
  /// More missing segments in a row mean that the stream is gone.
  private static let missingLimit = 16

  /// The next segment that the server has, or the end, after one that is missing; nil if it is not known.
  private mutating func available(after missing: Int, of playlist: HLSPlaylist) -> Int? {
    for (number, segment) in playlist.segments.enumerated().dropFirst(missing + 1).prefix(Self.missingLimit) {
      guard !segment.isGap else { continue }
      do throws(NetworkError) { return try fetcher.has(segment) ? number : nil } catch {
        guard error.isRefusal else { return nil }
      }
    }
    let end = playlist.segments.count
    return end - missing <= Self.missingLimit ? end : nil
  }

  private func announce(_ segments: Range<Int>, of playlist: HLSPlaylist) {
    source?.announce(.skipped(seconds: playlist.segments[segments].reduce(0) { $0 + $1.seconds }))
  }
}
