public import AudioModel

extension TrackTags {
  /// Takes a value by one of the names that Vorbis comments, APEv2, ID3's TXXX and MP4's free-form items have in
  /// common, in upper or lower case, with or without spaces and underscores. Of several values of one name the first
  /// counts, but all do where `isList` says so.
  public mutating func add(_ value: String, named name: String) {
    guard !value.isEmpty else { return }
    let key = name.tagKey
    if let field = fieldNames[key] { return add(value, to: field) }
    switch key {
    case "TITLE": set(\.title, value)
    case "ARTIST": append(value, to: \.artist, .artist)
    case "ALBUM": set(\.album, value)
    case "ALBUMARTIST": append(value, to: \.albumArtist, .albumArtist)
    case "COMPOSER": append(value, to: \.composer, .composer)
    case "GENRE": append(value, to: \.genre, .genre)
    case "COMMENT", "DESCRIPTION": append(value, to: \.comment, .comment, joins: false)
    case "COPYRIGHT": set(\.copyright, value)
    case "ISRC": set(\.isrc, value)
    case "DATE", "YEAR": set(\.date, value)
    case "LYRICS", "UNSYNCEDLYRICS": set(\.lyrics, value)
    case "CUESHEET":
      cueSheet = cueSheet ?? CueSheet(embedded: value)
      if let cueSheet, chapters.isEmpty { chapters = cueSheet.chapters }
    default: addNumber(value, key)
    }
  }

  mutating func add(_ values: [String], named name: String) {
    for value in values.prefix(Fields.maximumValueCount) { add(value, named: name) }
  }

  private mutating func addNumber(_ value: String, _ key: String) {
    // A number with its unit after it; some programs write a comma.
    func decimal() -> Double? {
      let digits = value.drop { $0 == " " }.prefix { !$0.isLetter && $0 != " " }
      return Double(String(digits.map { $0 == "," ? "." : $0 })).flatMap { $0.isFinite ? $0 : nil }
    }
    switch key {
    case "TRACKNUMBER", "TRACK", "TRACKNUM":
      let (number, count) = Self.numberAndCount(value)
      (trackNumber, trackCount) = (trackNumber ?? number, trackCount ?? count)
    case "TRACKTOTAL", "TOTALTRACKS", "TRACKC", "TRACKCOUNT":
      trackCount = trackCount ?? Self.numberAndCount(value).number
    case "DISCNUMBER", "DISC", "DISCNUM":
      let (number, count) = Self.numberAndCount(value)
      (discNumber, discCount) = (discNumber ?? number, discCount ?? count)
    case "DISCTOTAL", "TOTALDISCS", "DISCC", "DISCCOUNT": discCount = discCount ?? Self.numberAndCount(value).number
    case "REPLAYGAINTRACKGAIN": gain.track = gain.track ?? decimal()
    case "REPLAYGAINTRACKPEAK": gain.trackPeak = gain.trackPeak ?? decimal()
    case "REPLAYGAINALBUMGAIN": gain.album = gain.album ?? decimal()
    case "REPLAYGAINALBUMPEAK": gain.albumPeak = gain.albumPeak ?? decimal()
    // RFC 7845 5.2.1: 1/256 dB, for -23 LUFS.
    case "R128TRACKGAIN": gain.track = gain.track ?? decimal().map { $0 / 256 + 5 }
    case "R128ALBUMGAIN": gain.album = gain.album ?? decimal().map { $0 / 256 + 5 }
    default: break
    }
  }

  /// Takes a value of a field. Of several the first counts, unless the field may have several.
  mutating func add(_ value: String, to field: Fields.Name) {
    switch field {
    case .artistIDs, .albumArtistIDs, .workID:
      // Programs put several values one after the other where a format has one; identifiers are not divided.
      for part in value.split(whereSeparator: { "/; ".contains($0) }).prefix(Fields.maximumValueCount) {
        fields.append(String(part), to: field)
      }
    case _ where field.isList: fields.append(value, to: field)
    case .compilation:
      if ["1", "true", "yes"].contains(value.lowercased()) { fields[field] = ["1"] }
    case .movementNumber:
      let (number, count) = Self.numberAndCount(value)
      if let number, fields.first(field) == nil { fields[field] = [String(number)] }
      if let count, fields.first(.movementCount) == nil { fields[.movementCount] = [String(count)] }
    case .originalDate:
      // A date is more precise than its year, which another field may have set before.
      if let known = fields.first(field), !value.hasPrefix(known) { return }
      fields[field] = [value]
    default:
      if fields.first(field) == nil { fields[field] = [value] }
    }
  }

  private mutating func set(_ text: WritableKeyPath<TrackTags, String?>, _ value: String) {
    if self[keyPath: text] == nil { self[keyPath: text] = value }
  }

  /// Adds one of several values: the field has each by itself, the text all in one, or the first.
  private mutating func append(
    _ value: String, to text: WritableKeyPath<TrackTags, String?>, _ field: Fields.Name, joins: Bool = true
  ) {
    guard let first = self[keyPath: text] else { return self[keyPath: text] = value }
    if fields.first(field) == nil {
      guard first != value else { return }
      fields.append(first, to: field)
    }
    fields.append(value, to: field)
    if joins { self[keyPath: text] = TagText.joined(fields[field]) }
  }
}

extension String {
  /// A tag's name in a form that is common to all programs.
  fileprivate var tagKey: String { String(uppercased().filter { $0 != " " && $0 != "_" && $0 != "-" && $0 != "/" }) }
}

private let fieldNames = TrackTags.Fields.Name.rows(by: \.common).mapValues(\.field)
