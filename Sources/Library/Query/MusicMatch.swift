internal import AudioModel
public import ByteIO

/// Music that words mean, to be played as one thing.
public struct MusicMatch: Sendable, Hashable {
  /// In the order of preference among matches of the same fit.
  public enum Kind: String, Sendable, CaseIterable {
    case album, artist, track
    case tracks
    case playlist, station, folder, file
  }

  enum Source: Sendable, Hashable {
    case tracks([Int])
    case playlist(String)
    case place(BytePath)
  }

  public var kind: Kind
  /// The name of the thing; of several tracks the words.
  public var name: String
  public var artist: String?
  public var year: Int?
  public var trackCount: Int?
  /// True if it was found in spite of a typing error.
  public private(set) var isCorrected = false
  var source: Source

  init(
    _ kind: Kind, _ name: String, artist: String? = nil, year: Int? = nil, trackCount: Int? = nil, _ source: Source
  ) {
    (self.kind, self.name, self.artist, self.year) = (kind, name, artist, year)
    (self.trackCount, self.source) = (trackCount, source)
  }

  init(_ kind: Kind, _ name: String, artist: String? = nil, year: Int? = nil, tracks: [Int]) {
    self.init(kind, name, artist: artist, year: year, trackCount: tracks.count, .tracks(tracks))
  }

  /// A file, a folder or an address.
  public init(_ kind: Kind, _ name: String, at place: BytePath) { self.init(kind, name, .place(place)) }

  /// The same, found in spite of a typing error.
  public var corrected: MusicMatch {
    var match = self
    match.isCorrected = true
    return match
  }

  /// True if each of the words is a whole word of the names.
  public func hasWhole(_ words: SearchWords) -> Bool {
    let names = TextFolding.folded([name, artist ?? ""].joined(separator: " ")).split(separator: 0x20)
    let whole = Set(names.map { $0.filter { !TextFolding.isMark($0) } })
    return words.words.allSatisfy { word in whole.contains(word.filter { !TextFolding.isMark($0) }) }
  }
}

extension MusicMatch {
  /// The place without a library.
  public var place: BytePath? { if case .place(let path) = source { path } else { nil } }

  /// `album In Utero by Nirvana`.
  public var title: String {
    switch kind {
    case .tracks: counted(trackCount ?? 0, "track") + " (\(name))"
    default: "\(kind.rawValue) \(name)" + (artist.map { $0.isEmpty ? "" : " by \($0)" } ?? "")
    }
  }
}
