internal import ByteIO
internal import Glibc
internal import Library
internal import Playback

/// Waveforms of files in a folder: one small file each, named by a hash of the path, size and time of the music file.
/// If there are too many, the oldest are removed. Any thread.
struct WaveformCache: Sendable {
  private static let head = Array("segue waveform 1\n".utf8)

  let folder: BytePath
  /// About 2 KB each.
  var fileLimit = 2000

  /// The path of the waveform of a file, or of a track in a file; `nil` for an address or a special file.
  func key(of location: MediaLocation) -> BytePath? {
    let facts: [UInt8]?
    switch location {
    case .file(let path): facts = Self.facts(path)
    case .track(let sheet, let number):
      facts = Self.facts(sheet).flatMap { facts in
        TrackSegment.path(of: location).flatMap(Self.facts).map { facts + $0 + Array("#\(number)".utf8) }
      }
    case .url: facts = nil
    }
    guard let facts else { return nil }
    return folder.appending(BytePath(facts.fnvDigits()))
  }

  private static func facts(_ path: BytePath) -> [UInt8]? {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let facts = [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    return path.absolute.bytes + Array(facts.description.utf8)
  }

  /// The kept waveform; `nil` if there is none, or it is damaged.
  func waveform(_ key: BytePath) -> Waveform? {
    guard let bytes = (try? SmallFile.read(key)) ?? nil, bytes.starts(with: Self.head) else { return nil }
    let levels = bytes.dropFirst(Self.head.count)
    return 1...Waveform.partLimit ~= levels.count ? Waveform(levels: Array(levels)) : nil
  }

  func keep(_ waveform: Waveform, _ key: BytePath) {
    guard !waveform.levels.isEmpty else { return }
    try? SmallFile.write(Self.head + waveform.levels, to: key, isFinal: false)
    let files = FolderContents(reading: folder, playableExtensions: []).items.filter { $0.kind == .other }
    guard files.count > fileLimit else { return }
    let byAge = files.map { (path: $0.path, time: Self.modified($0.path)) }.sorted { $0.time < $1.time }
    for file in byAge.prefix(files.count - fileLimit * 9 / 10) { file.path.removeFile() }
  }

  private static func modified(_ path: BytePath) -> Int {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 ? status.st_mtim.tv_sec : 0
  }
}
