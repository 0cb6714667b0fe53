import ByteIO
import Containers
import Glibc
import Testing

/// The audio of other projects with values to expect of it; tests that need it are skipped where it is absent.
enum Corpus {
  static let folder: String = {
    if let folder = getenv("SEGUE_CORPUS") { return String(cString: folder) }
    let repository = String(#filePath.dropLast("/Tests/ContainersTests/Support/Corpus.swift".count))
    return repository + "/../shared/corpus"
  }()

  static let isPresent = access(folder + "/expected.tsv", R_OK) == 0

  /// One line of `expected.tsv`.
  struct Row: Sendable, CustomStringConvertible {
    var path: String
    var frames: Int64?
    var rawFrames: Int64?
    var channels: Int?
    var rate: Double?
    /// The tolerance of `frames`.
    var tolerance: Int64
    var isPlayable: Bool
    var note: String
    var description: String { path }
  }

  static func rows(_ isWanted: (String) -> Bool) -> [Row] {
    guard isPresent else { return [] }
    let lines = String(decoding: contents(of: folder + "/expected.tsv"), as: UTF8.self).split(separator: "\n")
    return lines.dropFirst().compactMap { line -> Row? in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard isWanted(fields[0]) else { return nil }
      return Row(
        path: fields[0], frames: Int64(fields[2]), rawFrames: Int64(fields[3]), channels: Int(fields[4]),
        rate: Double(fields[5]), tolerance: Int64(fields[7]) ?? 0, isPlayable: fields[9] == "plays", note: fields[11])
    }
  }

  /// Formats of frames with sync words, or with no container to speak of.
  static let frames = rows { path in
    [".mp3", ".mp2", ".mp1", ".adts", ".aac", ".ac3", ".amr"].contains { path.hasSuffix($0) }
  }

  static let mpeg4 = rows { path in ["mp4", "m4a", "3gp"].contains { path.hasSuffix($0) } }
  /// Formats of chunks, and NeXT.
  static let chunked = rows { path in [".wav", ".aif", ".aiff", ".caf", ".au"].contains { path.hasSuffix($0) } }

  /// A file in both drivers; nil for an unplayable file, which both must refuse.
  static func driven(_ row: Row) throws -> (transcript: Transcript, stream: AudioFileStream, file: AudioFile)? {
    let bytes = contents(row)
    let (transcript, stream) = pushed(bytes)
    if row.isPlayable { return (transcript, stream, try AudioFile(source: AwkwardSource(bytes))) }
    #expect(transcript.error != nil)
    #expect(transcript.packets.isEmpty)
    #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(bytes)) }
    return nil
  }

  static func contents(_ row: Row) -> [UInt8] { contents(of: folder + "/" + row.path) }

  static func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 0x10000)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
