internal import Cells
internal import Library
internal import Commands

/// The completions of the word before the cursor.
struct Completion: Equatable {
  /// Names that only the disk or the library knows, by their beginning.
  enum Lookup: Equatable, Sendable {
    case file(String, onlyFolders: Bool)
    case query(String)
    /// The known playlists are candidates already, but may be old.
    case playlist
  }

  /// The start of the word in the line, in characters.
  var start: Int
  /// The candidates in the form in which they are typed.
  var candidates: [String]
  /// The names to request, if `candidates` does not have them.
  var lookup: Lookup?
  /// True if playlists of the library complete the word; those that are known may be old.
  var isPlaylist = false

  /// - Parameters:
  ///   - line: The text before the cursor.
  ///   - playlists: The names of the playlists.
  ///   - outputs: The names of the output devices.
  init(_ line: String, _ configuration: Configuration, playlists: [String] = [], outputs: [String] = []) {
    let characters = Array(line)
    let words = RawWord.all(in: characters)
    let last = words.last ?? RawWord(start: line.count, text: "")
    start = last.start
    candidates = []
    let verb = words.dropLast().first.flatMap { first in
      try? Verb.named(CommandScanner.Word(text: first.text, column: first.start + 1), in: ActionVerbs.all)
    }
    guard words.count > 1 else {
      candidates = Self.verbs(last.text)
      return
    }
    if case .playlists? = verb?.completion, words.count == 3, words[1].text != "import" {
      candidates = playlists.filter { $0.hasPrefix(last.text) }.map(Self.typed)
      isPlaylist = true
    } else if case .outputs? = verb?.completion, words.count == 2 {
      candidates = ([Settings.standardOutput] + outputs).filter { $0.hasPrefix(last.text) }.map(Self.typed)
    } else if Self.isQuery(last, after: words.dropLast().map(\.text), verb) {
      lookup = .query(String(characters[start...]))
    } else {
      complete(last, at: words.count - 1, of: verb, configuration)
    }
  }

  /// True for a word of a query. Where files can be named, too, the name of its field is complete.
  private static func isQuery(_ word: RawWord, after words: [String], _ verb: Verb<Action>?) -> Bool {
    let hasField = LibraryQuery.namesField(word.text)
    switch verb?.completion {
    case .files: return hasField
    case .playlists where words.count > 2:
      return words[1] == "smart" || hasField && ["add", "create"].contains(words[1])
    default: return false
    }
  }

  private mutating func complete(_ word: RawWord, at place: Int, of verb: Verb<Action>?, _ configuration: Configuration)
  {
    let matching = { (names: [String]) in names.filter { $0.hasPrefix(word.text) } }
    switch verb?.completion {
    case nil, .nothing, .outputs: if verb?.name == "command" { candidates = Self.verbs(word.text) }
    case .words(let names): if place == 1 { candidates = matching(names).map { $0 + " " } }
    case .wordsThenFiles(let names), .playlists(let names):
      if place == 1 {
        candidates = matching(names).map { $0 + " " }
      } else {
        lookup = .file(word.text, onlyFolders: false)
      }
    case .files: lookup = .file(word.text, onlyFolders: false)
    case .folders: lookup = .file(word.text, onlyFolders: true)
    case .keys: if place == 2 { candidates = Self.verbs(word.text) }
    case .settings:
      if let equals = word.text.firstIndex(of: "="), let setting = SettingEntry(named: String(word.text[..<equals])) {
        let values = setting == .screen(.theme) ? configuration.themeNames : setting.values
        candidates = matching(values.map { "\(setting.name)=\($0)" })
      } else {
        candidates = matching(SettingEntry.all.map { $0.name + "=" })
      }
    }
  }

  private static func verbs(_ beginning: String) -> [String] {
    ActionVerbs.all.filter { $0.name.hasPrefix(beginning) }.map { $0.name + ($0.synopsis.isEmpty ? "" : " ") }.sorted()
  }

  /// A file's name in the form in which it is typed: with `\` before special characters, and a space after a complete
  /// name.
  static func typed(_ name: String) -> String {
    let letters: [Character] = name.flatMap { (letter) -> [Character] in
      " \t'\"\\#".contains(letter) ? ["\\", letter] : [letter]
    }
    return String(letters) + (name.hasSuffix("/") ? "" : " ")
  }
}

/// A word of an unfinished line: quotes may be open.
private struct RawWord {
  var start: Int
  /// Without quotes.
  var text: String

  /// The words of a line. After a space, and in an empty line, the last word is empty.
  static func all(in line: [Character]) -> [RawWord] {
    var words: [RawWord] = []
    var word = RawWord(start: 0, text: "")
    var quote: Character?
    var isEscaped = false
    var isBetween = true
    for (index, character) in line.enumerated() {
      if quote == nil, !isEscaped, character.isWhitespace {
        if !isBetween { words.append(word) }
        isBetween = true
        continue
      }
      if isBetween { word = RawWord(start: index, text: "") }
      isBetween = false
      if isEscaped {
        word.text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        word.text.append(character)
      }
    }
    words.append(isBetween ? RawWord(start: line.count, text: "") : word)
    return words
  }
}
