/// The fields of rows in the form for searches, one line per row, as the index of the library has them for its tracks.
public struct SearchLines: Sendable {
  /// A row that has all words of a search.
  public struct Match: Sendable, Hashable {
    public var row: Int
    /// Smaller for better rows. A word at the beginning of a field comes before one at the beginning of a word, and
    /// this before one inside; within each, the first field comes first.
    public var rank: Int
  }

  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  public init() {}

  public var count: Int { ends.count }
  var byteCount: Int { bytes.count }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes(body) }

  /// Adds a row.
  ///
  /// - Parameter fields: Title, artist, album, and then other texts; `nil` for an unknown one.
  public mutating func append(_ fields: String?...) {
    for field in fields {
      var text = field ?? ""
      text.withUTF8 { TextFolding.appendField(UnsafeRawBufferPointer($0), to: &bytes) }
    }
    bytes.append(0x0a)
    ends.append(bytes.count)
  }

  /// The rows that have all words, in order.
  public func matches(_ words: SearchWords) -> [Match] {
    guard let longest = words.words.max(by: { $0.count < $1.count }) else { return [] }
    // "ac-dc" means "acdc", too.
    let squeezed = TextFolding.squeezed(longest)
    return bytes.withUnsafeBytes { bytes in
      if !squeezed.isEmpty {
        return ends.indices.compactMap { row in
          words.rank(of: line(row, of: bytes)).map { Match(row: row, rank: $0) }
        }
      }
      let finder = ByteFinder(longest)
      var matches: [Match] = []
      var (row, place) = (0, 0)
      while let hit = finder.first(in: bytes, from: place) {
        while ends[row] <= hit { row += 1 }
        if let rank = words.rank(of: line(row, of: bytes)) { matches.append(Match(row: row, rank: rank)) }
        place = ends[row]
      }
      return matches
    }
  }

  private func line(_ row: Int, of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[(row > 0 ? ends[row - 1] : 0)..<ends[row]])
  }
}
