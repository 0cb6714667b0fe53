internal import AudioModel

extension TrackTags {
  /// Takes from `other` what is missing here.
  mutating func fill(from other: TrackTags) {
    func fill<Value>(_ field: WritableKeyPath<TrackTags, Value?>) {
      if self[keyPath: field] == nil { self[keyPath: field] = other[keyPath: field] }
    }
    fill(\.title)
    fill(\.artist)
    fill(\.album)
    fill(\.albumArtist)
    fill(\.date)
    fill(\.genre)
    fill(\.composer)
    fill(\.comment)
    fill(\.claimedMilliseconds)
    if trackNumber == nil { (trackNumber, trackCount) = (other.trackNumber, trackCount ?? other.trackCount) }
    if discNumber == nil { (discNumber, discCount) = (other.discNumber, discCount ?? other.discCount) }
  }

  /// These, with what is missing taken from `other`.
  func filled(from other: TrackTags) -> TrackTags {
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
