public import AudioModel

extension TrackTags {
  /// Adds the missing fields from `other`.
  mutating func fill(from other: TrackTags) {
    // One of them usually is empty, and key paths take time.
    let empty = TrackTags()
    guard other != empty else { return }
    guard self != empty else { return self = other }
    func fill<Value>(_ field: WritableKeyPath<TrackTags, Value?>) {
      if self[keyPath: field] == nil { self[keyPath: field] = other[keyPath: field] }
    }
    fillFields(from: other)
    fill(\.title)
    fill(\.artist)
    fill(\.album)
    fill(\.albumArtist)
    fill(\.date)
    fill(\.genre)
    fill(\.composer)
    fill(\.comment)
    fill(\.copyright)
    fill(\.isrc)
    fill(\.lyrics)
    fill(\.gain.track)
    fill(\.gain.trackPeak)
    fill(\.gain.album)
    fill(\.gain.albumPeak)
    if artwork.isEmpty { artwork = other.artwork }
    if chapters.isEmpty { chapters = other.chapters }
    fill(\.cueSheet)
    fill(\.claimedMilliseconds)
    if trackNumber == nil { (trackNumber, trackCount) = (other.trackNumber, trackCount ?? other.trackCount) }
    if discNumber == nil { (discNumber, discCount) = (other.discNumber, discCount ?? other.discCount) }
  }

  /// Takes the fields that are missing here. A list of values belongs to the joined words beside it, so it is taken
  /// only where these are the same or missing.
  private mutating func fillFields(from other: TrackTags) {
    func agree(_ field: KeyPath<TrackTags, String?>) -> Bool {
      guard let mine = self[keyPath: field], let theirs = other[keyPath: field] else { return true }
      return mine == theirs
    }
    let (artistsAgree, albumArtistsAgree) = (agree(\.artist), agree(\.albumArtist))
    let (composersAgree, genresAgree, commentsAgree) = (agree(\.composer), agree(\.genre), agree(\.comment))
    fields.fill(from: other.fields) { name in
      switch name {
      case .artist, .artists: artistsAgree
      case .albumArtist, .albumArtists: albumArtistsAgree
      case .composer: composersAgree
      case .genre: genresAgree
      case .comment: commentsAgree
      default: true
      }
    }
  }

  /// The tags with the missing fields from `other`.
  public func filled(from other: TrackTags) -> TrackTags {
    var tags = self
    tags.fill(from: other)
    return tags
  }

  /// Reads "3", "3/12" or "/12" into a number and a count; 0 stands for nothing.
  static func numberAndCount(_ text: String) -> (number: Int?, count: Int?) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { part in
      Int(part.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }).flatMap { $0 > 0 ? $0 : nil }
    }
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }
}
