import Containers
import Glibc

/// Sound files that `make fixtures` made; tests that need them are skipped where they are absent.
enum Fixtures {
  static let folder: String = {
    if let folder = getenv("SEGUE_FIXTURES") { return String(cString: folder) }
    return String(#filePath.dropLast("Tests/ContainersTests/Support/Fixtures.swift".count)) + ".build/fixtures"
  }()

  static let isPresent = access(folder + "/stamp", R_OK) == 0

  static func bytes(_ name: String) -> [UInt8] { Corpus.contents(of: folder + "/" + name) }

  /// Names of files with this ending, sorted.
  static func names(endingIn ending: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(ending) { names.append(name) }
    }
    return names.sorted()
  }

  /// Frames of a 16-bit WAVE file that SoX wrote.
  static func frames(ofWAVE name: String) -> Int64 {
    let bytes = bytes(name)
    guard bytes.count > 44 else { return 0 }
    return Int64(bytes.count - 44) / Int64(bytes[22]) / 2
  }
}
