import Glibc

/// The path of a file that `Tests/Fixtures/make-fixtures.sh` made.
func fixture(_ name: String) -> String {
  (getenv("SEGUE_FIXTURES").map { String(cString: $0) } ?? ".build/fixtures") + "/" + name
}

/// As `==`, which takes long in a debug build.
func identical(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && memcmp(one, other, one.count) == 0
}

/// Files of others with what independent tools say of them, if they lie beside the repository.
enum Corpus {
  struct Row: CustomStringConvertible, Sendable {
    var path: String
    var frames, channels, rate, tolerance: Int
    var plays: Bool
    var description: String { path }
  }

  /// The rows of MPEG audio.
  static let rows: [Row] = {
    let folder = getenv("SEGUE_CORPUS").map { String(cString: $0) } ?? "../shared/corpus"
    guard let table = try? contents(folder + "/expected.tsv") else { return [] }
    let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
    let rows = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) } }
    return rows.dropFirst().filter { ["mp1", "mp2", "mp3"].contains($0[1]) }.map { row in
      Row(
        path: folder + "/" + row[0], frames: Int(row[2]) ?? 0, channels: Int(row[4]) ?? 1, rate: Int(row[5]) ?? 0,
        tolerance: Int(row[7]) ?? 0, plays: row[9] == "plays")
    }
  }()
}

enum Fixtures {
  /// What is odd in them is in their names.
  static let odd = [
    "vbr-60s-without-header.mp3", "vbr-without-header.mp3", "cbr-without-header.mp3", "cbr-too-thin-for-info.mp3",
    "ffmpeg-bare.mp3", "ffmpeg.mp2", "garbage-behind.mp3", "garbage-between.mp3", "garbage-in-front.mp3",
    "false-syncs.mp3", "one-packet.mp3", "one-packet-missing.mp3", "starts-in-a-frame.mp3", "cut-in-a-frame.mp3",
    "xing-claims-too-much.mp3", "id3v2-size-lies.mp3", "id3v24-large.mp3", "id3v24-ape-id3v1.mp3",
  ]
}
