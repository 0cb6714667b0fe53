import Glibc

/// The path of a file that `Tests/Fixtures/make-fixtures.sh` made.
func fixture(_ name: String) -> String {
  (getenv("SEGUE_FIXTURES").map { String(cString: $0) } ?? ".build/fixtures") + "/" + name
}

/// As `==`, which takes long in a debug build.
func identical(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && memcmp(one, other, one.count) == 0
}

enum Fixtures {
  /// Unusual files; their names say why.
  static let odd = [
    "vbr-60s-without-header.mp3", "vbr-without-header.mp3", "cbr-without-header.mp3", "cbr-too-thin-for-info.mp3",
    "ffmpeg-bare.mp3", "ffmpeg.mp2", "garbage-behind.mp3", "garbage-between.mp3", "garbage-in-front.mp3",
    "false-syncs.mp3", "one-packet.mp3", "one-packet-missing.mp3", "starts-in-a-frame.mp3", "cut-in-a-frame.mp3",
    "xing-claims-too-much.mp3", "id3v2-size-lies.mp3", "id3v24-large.mp3", "id3v24-ape-id3v1.mp3",
  ]
}
