internal import ByteIO
internal import Playback
internal import Player

extension ScreenState {
  private static let historyLimit = 500

  /// Asks for a line.
  mutating func open(_ kind: Prompt.Kind, text: String = "") -> [ScreenCommand] {
    notice = nil
    prompt = Prompt(kind, text: text, origin: (shownList.selected ?? 0, shownList.filterText))
    guard kind == .command, !hasHistory else { return [] }
    hasHistory = true
    return [.player(.recallHistory)]
  }

  /// Pasted text goes into the line, if there is one. Else it names what to play or add; it is never taken for keys.
  mutating func paste(_ text: String) -> [ScreenCommand] {
    guard let prompt else { return open(pasted: text) }
    self.prompt?.insert(Self.line(ofPasted: text, in: prompt.kind))
    return followPrompt()
  }

  /// Plays what a text names where nothing is playing, and adds it to the queue otherwise. What is dropped has the path
  /// of a file or an address; other text is no wish to play something, whatever names may be in it.
  private mutating func open(pasted text: String) -> [ScreenCommand] {
    let text = String(text.drop(while: \.isWhitespace))
    guard !text.isEmpty else { return [] }
    let start = text.drop { "'\"".contains($0) }
    let isPath = start.hasPrefix("/") || start.hasPrefix("~/") || start.prefix(16).contains("://")
    guard isPath, text.utf8.count <= Self.pasteLimit else {
      say("The pasted text is not a path or an address")
      return []
    }
    return [.player(.find(WrittenNames(text), playback.state == .stopped ? .now : .turn(.end), in: files.folder))]
  }

  /// Bytes of a paste that names files: some thousand paths.
  private static var pasteLimit: Int { 1 << 18 }

  /// One line of pasted text. Paths that stood in lines of their own become words of the command line.
  private static func line(ofPasted text: String, in kind: Prompt.Kind) -> [Character] {
    let lines = text.split(whereSeparator: \.isNewline)
    let arePaths = lines.count > 1 && lines.allSatisfy { $0.hasPrefix("/") || $0.contains("://") }
    guard kind == .command, arePaths else { return text.map { $0.isWhitespace ? " " : $0 } }
    return Array(lines.map { quoted(String($0)) }.joined(separator: " "))
  }

  mutating func handleInPrompt(_ key: Key) -> [ScreenCommand] {
    switch (key.symbol, key.modifiers) {
    case (.enter, _): return acceptPrompt()
    case (.escape, _), (.character("c"), .control), (.character("g"), .control): return cancelPrompt()
    case (.backspace, _) where prompt?.text.isEmpty == true: return cancelPrompt()
    case (.tab, let modifiers): return complete(modifiers.contains(.shift) ? -1 : 1)
    case (.up, _), (.character("p"), .control): recall(-1)
    case (.down, _), (.character("n"), .control): recall(1)
    default: if prompt?.edit(key) != true { return [] }
    }
    return followPrompt()
  }

  private mutating func recall(_ step: Int) {
    if prompt?.kind == .command { prompt?.recall(step, in: history) }
  }

  /// Searches and filters follow what is typed.
  private mutating func followPrompt() -> [ScreenCommand] {
    guard let prompt else { return [] }
    switch prompt.kind {
    case .command: break
    case .search:
      guard let pattern = SearchPattern(prompt.line) else {
        shownList.select(prompt.origin.row)
        break
      }
      if let row = find(pattern, from: prompt.origin.row, isForward: true) { shownList.select(row) }
    case .filter: setFilter(prompt.line)
    }
    return []
  }

  private mutating func acceptPrompt() -> [ScreenCommand] {
    guard let prompt else { return [] }
    self.prompt = nil
    switch prompt.kind {
    case .filter: return []
    case .search:
      searchText = prompt.line
      if let pattern = SearchPattern(searchText), find(pattern, from: prompt.origin.row, isForward: true) == nil {
        say("no match for \"\(prompt.line)\"")
      }
      return []
    case .command: return execute(prompt.line)
    }
  }

  private mutating func cancelPrompt() -> [ScreenCommand] {
    guard let prompt else { return [] }
    self.prompt = nil
    if prompt.kind == .filter { setFilter(prompt.origin.filter) }
    if prompt.kind != .command { shownList.select(prompt.origin.row) }
    return []
  }

  /// Does what a line of the command language says.
  private mutating func execute(_ line: String) -> [ScreenCommand] {
    let action: Action?
    do throws(CommandError) { action = try Action.parse(line) } catch {
      say(error.message)
      return remember(line)
    }
    guard let action else { return [] }
    return remember(line) + handle(action)
  }

  private mutating func remember(_ line: String) -> [ScreenCommand] {
    guard history.last != line else { return [] }
    history = (history + [line]).suffix(Self.historyLimit)
    // On disk, no name and no password.
    return [.player(.remember(line.withoutUserInfo))]
  }

  // MARK: Completion

  private mutating func complete(_ step: Int) -> [ScreenCommand] {
    guard let prompt, prompt.kind == .command, self.prompt?.cycle(step) == false else { return [] }
    let completion = Completion(prompt.lineToCursor, configuration)
    if let lookup = completion.lookup {
      self.prompt?.lookUp(lookup)
      return [.player(.complete(lookup, onlyFolders: completion.wantsFolders, in: files.folder))]
    }
    self.prompt?.offer(completion.candidates, from: completion.start)
    return []
  }

  /// Names of files that were asked for have come.
  mutating func offer(_ names: [String], for beginning: String) {
    guard let prompt, prompt.lookup == beginning else { return }
    let start = Completion(prompt.lineToCursor, configuration).start
    self.prompt?.offer(names.map(Completion.typed), from: start)
  }

  // MARK: Searching

  /// The nearest row of the shown list that matches.
  private func find(_ pattern: SearchPattern, from row: Int, isForward: Bool) -> Int? {
    shownList.find(pattern, from: row, isForward: isForward, matching: rowMatcher)
  }

  mutating func search(_ text: String) -> [ScreenCommand] {
    searchText = text
    return searchOn(isForward: true)
  }

  /// To the next match, or the one before, of what was searched for last.
  mutating func searchOn(isForward: Bool) -> [ScreenCommand] {
    guard let pattern = SearchPattern(searchText) else {
      say("Nothing was searched for yet")
      return []
    }
    let count = shownList.shownCount
    let place = shownList.selectedPlace + (isForward ? 1 : count - 1)
    let start = count > 0 ? shownList.row(at: place % count) ?? 0 : 0
    if let row = find(pattern, from: start, isForward: isForward) {
      shownList.select(row)
    } else {
      say("no match for \"\(searchText)\"")
    }
    return []
  }

  mutating func setFilter(_ text: String) {
    let matcher = rowMatcher
    shownList.setFilter(text, matching: matcher)
  }
}
