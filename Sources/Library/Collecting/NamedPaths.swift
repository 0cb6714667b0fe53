internal import AudioModel
public import ByteIO

/// Finds the files whose names a person typed, pasted or dropped: with or without quotes, with backslashes before
/// blanks, as `file:` addresses, one or several per line.
public struct NamedPaths {
  /// The folder for relative names. The current folder is tried after it.
  public var folder: BytePath?
  /// Extensions that may be missing in a name, with their dot.
  public var extensions: [String] = []
  private let expand: (BytePath) -> BytePath

  /// - Parameter expand: Replaces `~` by the home folder.
  public init(folder: BytePath?, expand: @escaping (BytePath) -> BytePath) {
    (self.folder, self.expand) = (folder, expand)
  }

  /// The paths and addresses that `text` names, and true if any of them exists. Tries the whole text as one name, then
  /// each line, then each word.
  public func find(_ text: String, words: [String]) -> (paths: [BytePath], areThere: Bool) {
    let text = String(text.trimmed)
    if let path = find(text) { return ([path], true) }
    let lines = text.split(whereSeparator: \.isNewline).map { String($0.trimmed) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    let names = lines.count > 1 ? lines : words
    let found = names.map { find($0) }
    return (zip(names, found).map { $1 ?? expand(BytePath($0)) }, found.contains { $0 != nil })
  }

  /// True for an argument that names a file: one that is there, an address, or what looks like a path. Others are words.
  ///
  /// - Parameter extensions: Extensions of playable files.
  public static func isFile(_ path: BytePath, extensions: Set<String>) -> Bool {
    switch MediaLocation(written: path.bytes, in: BytePath("")) {
    case .url: true
    case .file(let file), .track(let file, _):
      file == BytePath("-") || FileKind(file) != nil || looksLikePath(path.description)
        || extensions.contains(path.fileExtension) || PlaylistFormat(fileExtension: path.fileExtension) != nil
    }
  }

  /// True for a text that cannot be words.
  public static func looksLikePath(_ text: String) -> Bool {
    ["/", "~", "./", "../", "file:"].contains { text.hasPrefix($0) }
  }

  /// The path or address that a text names as a whole.
  private func find(_ text: String) -> BytePath? {
    text.spellings.lazy.compactMap { spelling in
      let path = expand(BytePath(spelling))
      switch MediaLocation(written: path.bytes, in: BytePath("")) {
      case .url: return spelling.contains(where: \.isWhitespace) ? nil : path
      case .file, .track: return places(of: path).first(where: isThere)
      }
    }.first
  }

  /// The candidates for a name.
  private func places(of path: BytePath) -> [BytePath] {
    guard !path.bytes.isEmpty else { return [] }
    let isRelative = !path.isAbsolute && !path.bytes.starts(with: "file:".utf8)
    let places = (isRelative ? [folder?.appending(path)].compactMap(\.self) : []) + [path]
    return places.flatMap { place in [place] + extensions.map { BytePath(place.bytes + Array($0.utf8)) } }
  }

  private func isThere(_ path: BytePath) -> Bool {
    switch MediaLocation(written: path.bytes, in: BytePath("")) {
    case .file(let file), .track(let file, _): FileKind(file) != nil
    case .url: false
    }
  }
}

extension String {
  /// The text unchanged, without surrounding quotes, and without the backslashes for shells.
  fileprivate var spellings: [String] {
    var spellings = [self]
    if count > 1, let quote = first, quote == last, "'\"".contains(quote) {
      spellings.append(String(dropFirst().dropLast()).replacing("'\\''", with: "'"))
    }
    if contains("\\") { spellings.append(withoutBackslashes) }
    return spellings
  }

  private var withoutBackslashes: String {
    var isEscaped = false
    return String(
      filter { character in
        isEscaped = character == "\\" && !isEscaped
        return !isEscaped
      })
  }
}
