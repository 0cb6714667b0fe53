/// An album that the listener left before its end.
public struct UnfinishedAlbum: Sendable {
  /// The track to continue with.
  public let track: LibraryTrack
  /// The place in it, in seconds; `nil` for its start.
  public let place: Double?

  /// Seconds from the place to the end of the album.
  public var remaining: Double {
    let rest = track.number..<track.album.tracks.upperBound
    return rest.reduce(-(place ?? 0)) { $0 + (track.view.track($1).duration ?? 0) }
  }
}

extension LibraryView {
  /// The albums that the listener left before their end, the one that was left last first: those with a track that has a
  /// resume point, and those of which two tracks in a row were heard.
  public func unfinishedAlbums(limit: Int) -> [UnfinishedAlbum] {
    let plays = latestPlays.compactMap { play in index.tracks(ofRecording: play.recording).first.map { ($0, play) } }
    let heard = Set(plays.map(\.0))
    var (seen, unfinished): (Set<Int>, [UnfinishedAlbum]) = ([], [])
    for (number, play) in plays where unfinished.count < limit {
      let album = track(number).albumNumber
      // The last play decides.
      guard seen.insert(album).inserted else { continue }
      let isResumed = play.resume != nil
      let next = track(isResumed || play.isSkip ? number : number + 1)
      guard self.album(album).tracks.contains(next.number), next.state == .here,
        isResumed || next.album.rule != .noAlbum && heard.contains(number - 1)
          && self.album(album).tracks.contains(number - 1)
      else { continue }
      unfinished.append(UnfinishedAlbum(track: next, place: play.resume))
    }
    return unfinished
  }
}
