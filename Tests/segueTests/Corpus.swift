import Glibc

/// Files of other projects with what independent tools say of them; tests that need them are skipped where they are
/// absent.
enum Corpus {
  /// One line of `expected.tsv`.
  struct Row: CustomStringConvertible, Sendable {
    enum Behaviour: String { case plays, rejectedCleanly = "rejected-cleanly", either }

    var name: String
    var frames, channels, rate: Int
    /// The tolerance of `frames`.
    var tolerance: Int
    /// Of all samples, their upper 16 bits, little-endian; `nil` where decoding is lossy.
    var md5: String?
    var behaviour: Behaviour
    var path: String { Corpus.folder + "/" + name }
    var description: String { name }
  }

  static let folder: String = {
    if let folder = getenv("SEGUE_CORPUS") { return String(cString: folder) }
    let repository = String(#filePath.dropLast("/Tests/segueTests/Corpus.swift".count))
    return repository + "/../shared/corpus"
  }()

  static let rows: [Row] = {
    guard let table = try? contents(folder + "/expected.tsv") else { return [] }
    return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count > 9, let behaviour = Row.Behaviour(rawValue: fields[9]) else { return nil }
      return Row(
        name: fields[0], frames: Int(fields[2]) ?? 0, channels: Int(fields[4]) ?? 0, rate: Int(fields[5]) ?? 0,
        tolerance: Int(fields[7]) ?? 0, md5: fields[8].isEmpty ? nil : fields[8], behaviour: behaviour)
    }
  }()

  /// Known to have bytes that are no audio, or packets that nobody can decode: said in one line.
  static let damaged: Set<String> = [
    "androidx-media/bear-cbr-constant-frame-size-no-seek-table.mp3", "androidx-media/bear-id3.mp3",
    "androidx-media/sample_ac3.mp4", "mpatric-mp3agic/incompletempegframe.mp3",
  ]
}
