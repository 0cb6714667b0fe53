public import AudioModel

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

  /// These, with what is missing taken from `other`.
  public func filled(from other: TrackTags) -> TrackTags {
    var tags = self
    tags.fill(from: other)
    return tags
  }

  /// Takes a field by one of the names that Vorbis comments, APEv2, ID3's TXXX and MP4's free-form items have in common.
  /// Of several values of one name the first counts, but artists, composers and genres are joined.
  public mutating func add(_ value: String, named name: String) {
    guard !value.isEmpty else { return }
    func number(_ text: String) -> Double? { Double(text.prefix { !$0.isLetter && $0 != " " }) }
    func set(_ field: WritableKeyPath<TrackTags, String?>, joined: Bool = false) {
      guard let old = self[keyPath: field] else { return self[keyPath: field] = value }
      if joined, !old.split(separator: ";").contains(where: { $0.drop { $0 == " " } == value }) {
        self[keyPath: field] = "\(old); \(value)"
      }
    }
    switch name.uppercased() {
    case "TITLE": set(\.title)
    case "ARTIST": set(\.artist, joined: true)
    case "ALBUM": set(\.album)
    case "ALBUMARTIST", "ALBUM ARTIST", "ALBUM_ARTIST": set(\.albumArtist, joined: true)
    case "COMPOSER": set(\.composer, joined: true)
    case "COMMENT", "DESCRIPTION": set(\.comment)
    case "COPYRIGHT": set(\.copyright)
    case "ISRC": set(\.isrc)
    case "CUESHEET":
      cueSheet = cueSheet ?? CueSheet(embedded: value)
      if let cueSheet, chapters.isEmpty { chapters = cueSheet.chapters }
    case "GENRE": set(\.genre, joined: true)
    case "DATE", "YEAR": set(\.date)
    case "LYRICS", "UNSYNCEDLYRICS": set(\.lyrics)
    case "TRACKNUMBER", "TRACK":
      let (number, count) = Self.numberAndCount(value)
      (trackNumber, trackCount) = (trackNumber ?? number, trackCount ?? count)
    case "TRACKTOTAL", "TOTALTRACKS": trackCount = trackCount ?? Self.numberAndCount(value).number
    case "DISCNUMBER", "DISC":
      let (number, count) = Self.numberAndCount(value)
      (discNumber, discCount) = (discNumber ?? number, discCount ?? count)
    case "DISCTOTAL", "TOTALDISCS": discCount = discCount ?? Self.numberAndCount(value).number
    case "REPLAYGAIN_TRACK_GAIN": gain.track = gain.track ?? number(value)
    case "REPLAYGAIN_TRACK_PEAK": gain.trackPeak = gain.trackPeak ?? number(value)
    case "REPLAYGAIN_ALBUM_GAIN": gain.album = gain.album ?? number(value)
    case "REPLAYGAIN_ALBUM_PEAK": gain.albumPeak = gain.albumPeak ?? number(value)
    // RFC 7845 5.2.1: 1/256 dB, for -23 LUFS.
    case "R128_TRACK_GAIN": gain.track = gain.track ?? number(value).map { $0 / 256 + 5 }
    case "R128_ALBUM_GAIN": gain.album = gain.album ?? number(value).map { $0 / 256 + 5 }
    default: break
    }
  }

  /// Reads "3", "3/12" or "/12" into a number and a count; 0 stands for nothing.
  static func numberAndCount(_ text: String) -> (number: Int?, count: Int?) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { part in
      Int(part.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }).flatMap { $0 > 0 ? $0 : nil }
    }
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }
}
