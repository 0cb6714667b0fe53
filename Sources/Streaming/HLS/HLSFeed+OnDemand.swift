internal import ByteIO

// A stream with an end: segments in the order in which the reader needs them.
extension HLSFeed {
  mutating func playOnDemand(_ playlist: HLSPlaylist) throws(NetworkError) {
    guard !playlist.segments.isEmpty else { return }
    let timeline = HLSTimeline(playlist.segments, startOffset: playlist.startOffset, from: beginning)
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
        do throws(NetworkError) { fetched = try content(of: segment, &progress) } catch {
          guard hasBegun else { throw error }
          source?.report(.segmentFailed(error))
          continue
        }
        guard case .content(let content) = fetched else {
          if case .otherEncoding = fetched { source?.report(.encodingChanged) }
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
}
