public import AudioModel
public import ByteIO
internal import Database
internal import Glibc
internal import SignalProcessing

/// The file with the measured gains of the library, which the player reads instead of the databases. It is derived from
/// them, and written anew as a whole.
///
/// Rows of 32 bytes in the order of their first 16: a hash of the absolute path, then gain and peak of the track, gain
/// and peak of the album, as little-endian floats; NaN is unknown.
public struct MeasuredGains: Sendable {
  private let file: BytePath
  private static let (rowByteCount, hashByteCount) = (32, 16)

  public init(folder: BytePath) { file = Self.path(in: folder) }

  static func path(in folder: BytePath) -> BytePath { folder.appending(BytePath("gains")) }

  /// The measured loudness of a file, in the form of tags; `nil` if it is not known. Reads about 20 rows; any thread.
  public func gain(of path: BytePath) -> TrackTags.Gain? {
    guard let source = try? FileByteSource(path: file), let byteCount = source.byteCount else { return nil }
    let hash = Self.hash(path.absolute)
    var (low, high) = (Int64(0), byteCount / Int64(Self.rowByteCount))
    while low < high {
      let middle = (low + high) / 2
      guard let row = Self.row(middle, of: source) else { return nil }
      let key = row.prefix(Self.hashByteCount)
      if key.elementsEqual(hash) { return Self.gain(row) }
      if key.lexicographicallyPrecedes(hash) { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private static func row(_ number: Int64, of source: FileByteSource) -> [UInt8]? {
    var row = [UInt8](repeating: 0, count: rowByteCount)
    let count = row.withUnsafeMutableBytes { try? source.read(into: $0, at: number * Int64(rowByteCount)) }
    return count == rowByteCount ? row : nil
  }

  private static func gain(_ row: [UInt8]) -> TrackTags.Gain {
    func value(_ place: Int) -> Double? {
      let bits = row[(hashByteCount + 4 * place)...].prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let value = Float(bitPattern: bits)
      return value.isFinite ? Double(value) : nil
    }
    var gain = TrackTags.Gain()
    (gain.track, gain.trackPeak, gain.album, gain.albumPeak) = (value(0), value(1), value(2), value(3))
    gain.isMeasured = true
    return gain
  }

  private static func hash(_ path: BytePath) -> [UInt8] {
    path.bytes.withUnsafeBytes { AudioKey.hash($0, Int64($0.count)) }
  }

  /// A file of gains that is being made.
  struct Draft {
    private var rows: [[UInt8]] = []

    /// Adds a track. `album`: the loudness of its whole album, if it is known.
    mutating func add(_ path: BytePath, _ track: MeasuredLoudness, album: MeasuredLoudness?) {
      add(path, [track.gain, track.peak, album?.gain, album?.peak])
    }

    /// Adds a track whose gain is known from elsewhere.
    mutating func add(_ path: BytePath, _ gain: TrackTags.Gain) {
      add(path, [gain.track, gain.trackPeak, gain.album, gain.albumPeak])
    }

    private mutating func add(_ path: BytePath, _ values: [Double?]) {
      var row = hash(path)
      for value in values {
        withUnsafeBytes(of: Float(value ?? .nan).bitPattern.littleEndian) { row += $0 }
      }
      rows.append(row)
    }

    func write(to path: BytePath) throws(DatabaseError) {
      let rows = rows.sorted { $0.lexicographicallyPrecedes($1) }
      let bytes = rows.flatMap(\.self)
      let draft = IndexDraft(path: path) { bytes.withUnsafeBytes($0) }
      try draft.write { () throws(DatabaseError) in try draft.moveIntoPlace() }
    }
  }
}
