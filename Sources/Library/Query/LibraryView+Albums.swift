// Albums in orders that the index does not have. They look at all albums, but not at their tracks.
extension LibraryView {
  /// The number of plays of the tracks of each album, by its place; albums without plays are left out.
  public func albumPlays() -> [Int: Int] {
    var plays: [Int: Int] = [:]
    for album in 0..<index.albumCount {
      let count = index.word(album, IndexLayout.Album.playCount)
      if count > 0 { plays[album] = Int(count) }
    }
    for (track, facts) in changes {
      let former = Int(index.word(track, .plays))
      if facts.plays != former { plays[self.track(track).albumNumber, default: 0] += facts.plays - former }
    }
    return plays.filter { $0.value > 0 }
  }

  /// The albums with the most plays, the one with the most first.
  public func mostPlayedAlbums(limit: Int) -> [Int] {
    let plays = albumPlays()
    return greatest(limit, of: plays.keys.sorted()) { Int64(plays[$0] ?? 0) }
  }

  /// The albums that were added last, the latest first.
  public func newestAlbums(limit: Int) -> [Int] { greatest(limit, of: 0..<index.albumCount) { album($0).added } }

  /// The number of albums that were added since a time: seconds since 1970.
  public func albumCount(addedSince time: Int64) -> Int { (0..<index.albumCount).count { album($0).added >= time } }
}

/// The numbers with the greatest values, the greatest first; of equal ones the first.
private func greatest(_ limit: Int, of numbers: some Sequence<Int>, value: (Int) -> Int64) -> [Int] {
  var best: [(number: Int, value: Int64)] = []
  for number in numbers {
    let value = value(number)
    if best.count == limit, let last = best.last, value <= last.value { continue }
    best.insert((number, value), at: best.firstIndex { $0.value < value } ?? best.endIndex)
    if best.count > limit { best.removeLast() }
  }
  return best.map(\.number)
}
