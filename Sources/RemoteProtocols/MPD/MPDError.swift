internal import Commands

/// A failure in the form of MPD: `ACK [2@0] {play} Bad song index`.
struct MPDError: Error, Equatable {
  /// MPD's numbers (its src/protocol/Ack.hxx).
  enum Code: Int {
    case argument = 2
    case password = 3
    case permission = 4
    case unknown = 5
    case noExist = 50
    case system = 52
    case sync = 55
    case exist = 56
  }

  var code: Code
  var text: String

  static let badIndex = MPDError(code: .argument, text: "Bad song index")
  static let noSong = MPDError(code: .noExist, text: "No such song")
  static let notPlaying = MPDError(code: .sync, text: "Not playing")
}

/// A line of MPD split into a command and its arguments.
struct MPDLine: Equatable {
  var command: String
  var arguments: [String]

  /// As MPD's src/util/Tokenizer.cxx: words, or texts in quotes with `\"` and `\\`.
  init(_ line: String) throws(MPDError) {
    let isWordPart = { (byte: UInt8) in
      byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    let word = line.utf8.prefix(while: isWordPart)
    command = String(Substring(word))
    var rest = line.unicodeScalars[word.endIndex...]
    guard rest.isEmpty || rest.first.map(Self.isBlank) == true else {
      throw MPDError(code: .unknown, text: "Invalid word character")
    }
    arguments = []
    while true {
      rest = rest.drop(while: Self.isBlank)
      guard let first = rest.first else { break }
      guard arguments.count < 64 else { throw MPDError(code: .argument, text: "Too many arguments") }
      arguments.append(first == "\"" ? try Self.quoted(&rest) : try Self.word(&rest))
    }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  private static func word(_ rest: inout Substring.UnicodeScalarView) throws(MPDError) -> String {
    let word = rest.prefix { !isBlank($0) }
    guard !word.contains(where: { $0 == "\"" || $0 == "'" || $0 < " " }) else {
      throw MPDError(code: .unknown, text: "Invalid unquoted character")
    }
    rest = rest[word.endIndex...]
    return String(String.UnicodeScalarView(word))
  }

  private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws(MPDError) -> String {
    rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" {
        guard rest.first.map(isBlank) ?? true else {
          throw MPDError(code: .unknown, text: "Space expected after closing '\"'")
        }
        return String(text)
      }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard let next = rest.popFirst() else { break }
      text.append(next)
    }
    throw MPDError(code: .unknown, text: "Missing closing '\"'")
  }
}
