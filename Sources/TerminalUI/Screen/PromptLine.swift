internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The line in which a command, a search or a filter is typed, with its history. A search and a filter act on the shown
/// view as they are typed.
struct PromptLine: Sendable {
  private static let historyLimit = 500
  private static let excessivePaste = "The pasted text is too long"

  private(set) var prompt: Prompt?
  /// Former command lines, the latest last.
  private var history: [String] = []
  private var hasRequestedHistory = false
  private var searchText = ""
  /// The names of the playlists, as far as the library has told them.
  private var playlists: [String] = []
  private var outputs: [String] = []

  // MARK: Messages

  mutating func receive(_ message: Message, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .answer(.completions(let names, let beginning)):
      offer(names.map(Completion.typed), for: beginning, model)
    case .answer(.library(.completions(let completion, let query))):
      return offer(completion, for: query, on: &pane, model)
    case .news(.outputs(let list)): outputs = list.devices.all.map(\.device)
    case .answer(.library(.certificate(let question))):
      guard prompt == nil else {
        return [.say("the server's certificate is not trusted: add the server again to see it")]
      }
      return open(.serverCertificate(question), on: pane)
    case .answer(.history(let lines)): history = lines + history
    case .answer(.library(.playlists(let names))):
      playlists = names
      if prompt?.lookup == .playlist, let completion = completion(model), completion.isPlaylist {
        prompt?.offer(completion.candidates, from: completion.start)
      }
    default: break
    }
    return []
  }

  /// Opens the line, or performs the search of an action; `nil` for any other action.
  mutating func handle(_ action: Action, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .prompt(let text): return open(.command, text: text.isEmpty ? "" : text + " ", on: pane)
    case .search(nil): return open(.search, text: pane.traits.search?.text ?? "", on: pane)
    case .search(let text?):
      searchText = text
      if pane.traits.search != nil { return pane.handle(.search(text), model) }
      return search(isForward: true, on: &pane, model)
    case .searchNext: return search(isForward: true, on: &pane, model)
    case .searchPrevious: return search(isForward: false, on: &pane, model)
    case .filter(nil): return open(.filter, text: pane.list.filterText, on: pane)
    case .filter(let text?):
      pane.setFilter(text, model)
      return []
    case .player(.ask(.keepToken(nil))): return open(.token, on: pane)
    case .player(.library(.add(let path))):
      let server = WebAddress(path.description)
      guard server.isHTTP else { return nil }
      guard server.userInfo == nil else {
        return [.say("leave name and password out of the address: they are asked for")]
      }
      return open(.serverUser(server), on: pane)
    default: return nil
    }
  }

  private mutating func open(_ kind: Prompt.Kind, text: String = "", on pane: any Pane) -> [ScreenEffect] {
    let row = pane.traits.followsMusic ? nil : pane.list.selected ?? 0
    prompt = Prompt(kind, text: text, origin: (row, pane.list.filterText))
    guard kind == .command, !hasRequestedHistory else { return [] }
    hasRequestedHistory = true
    return [.send(.ask(.history))]
  }

  // MARK: Keys

  mutating func handle(_ key: Key, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    if prompt?.kind == .search, pane.traits.search?.choosesRows == true, let effects = choose(key, on: &pane, model) {
      return effects
    }
    switch (key.symbol, key.modifiers) {
    case (.enter, _): return accept(on: &pane, model)
    case (.escape, _), (.character("c"), .control), (.character("g"), .control): return cancel(on: &pane, model)
    case (.backspace, _) where prompt?.text.isEmpty == true: return cancel(on: &pane, model)
    case (.tab, let modifiers):
      let effects = complete(modifiers.contains(.shift) ? -1 : 1, on: pane, model)
      return effects + follow(on: &pane, model)
    case (.up, _), (.character("p"), .control): recall(-1)
    case (.down, _), (.character("n"), .control): recall(1)
    default: if prompt?.edit(key) != true { return [] }
    }
    return follow(on: &pane, model)
  }

  /// Moves the selection while a search is typed, performs it, or ends the line; `nil` for any other key.
  private mutating func choose(_ key: Key, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect]? {
    switch (key.symbol, key.modifiers) {
    case (.up, []), (.character("p"), .control): pane.list.move(.rows(-1))
    case (.down, []), (.character("n"), .control): pane.list.move(.rows(1))
    case (.pageUp, []): pane.list.move(.pages(-1))
    case (.pageDown, []): pane.list.move(.pages(1))
    case (.tab, _): return accept(on: &pane, model)
    case (.enter, .alt):
      guard pane.list.selected != nil, let music = pane as? any MusicPane else { return [] }
      return accept(on: &pane, model) + [music.selectedTracks.replacingQueue]
    case (.enter, _):
      guard pane.list.selected != nil else { return [] }
      return accept(on: &pane, model) + (pane.handle(.playSelected, isShown: true, model) ?? [])
    default: return nil
    }
    return []
  }

  /// The keys that work while a line is typed, and short words for them; the last one leaves it. `nil` while none is.
  func hints(_ search: PaneSearch?) -> [(key: String, word: String)]? {
    switch prompt?.kind {
    case nil: nil
    case .command: [("Enter", "run"), ("Tab", "complete"), ("Up", "former lines"), ("Esc", "cancel")]
    case .search: search?.keys ?? [("Enter", "select"), ("Esc", "back")]
    case .filter: [("Enter", "keep"), ("Esc", "cancel")]
    case .serverUser: [("Enter", "next"), ("Esc", "cancel")]
    case .serverSecret: [("Enter", "add the server"), ("Esc", "cancel")]
    case .serverCertificate: [("Enter", "answer"), ("Esc", "cancel")]
    case .token: [("Enter", "keep the token"), ("Esc", "cancel")]
    }
  }

  /// True if a key chooses a row while a search is typed.
  func choosesRows(_ key: Key, in pane: any Pane) -> Bool {
    guard prompt?.kind == .search, pane.traits.search?.choosesRows == true else { return false }
    switch key.symbol {
    case .up, .down, .pageUp, .pageDown, .tab, .enter: return true
    default: return false
    }
  }

  /// Closes a search or a filter: another view is shown.
  mutating func leaveView() { if prompt?.kind.actsOnView == true { prompt = nil } }

  /// Inserts pasted text into the line, or refuses it if the line has no room for all of it.
  mutating func paste(_ text: String, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    guard let prompt else { return [] }
    let text = Self.line(ofPasted: text, in: prompt.kind)
    guard text.count <= prompt.room else {
      self.prompt?.refuse("\(Self.excessivePaste) for this line")
      return []
    }
    self.prompt?.insert(text)
    return follow(on: &pane, model)
  }

  /// Refuses text that was too long to be kept.
  mutating func refusePaste() -> [ScreenEffect] {
    if prompt == nil { return [.say(Self.excessivePaste)] }
    prompt?.refuse(Self.excessivePaste)
    return []
  }

  private mutating func recall(_ step: Int) {
    if prompt?.kind == .command { prompt?.recall(step, in: history) }
  }

  /// Applies a search or a filter to the view while it is typed.
  private func follow(on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    guard let prompt else { return [] }
    switch prompt.kind {
    case .command, .serverUser, .serverSecret, .serverCertificate, .token: break
    case .search where pane.traits.search != nil: return pane.handle(.search(prompt.line), model) ?? []
    case .search:
      if let pattern = SearchPattern(prompt.line) {
        _ = pane.select(pattern, from: start(of: prompt, in: pane), isForward: true, model)
      } else {
        returnToOrigin(of: prompt, on: &pane, model)
      }
    case .filter: pane.setFilter(prompt.line, model)
    }
    return []
  }

  private mutating func accept(on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    guard let prompt else { return [] }
    self.prompt = nil
    switch prompt.kind {
    case .filter: return []
    case .search:
      searchText = prompt.line
      if let search = pane.traits.search { return search.error.map { [.say($0)] } ?? [] }
      guard let pattern = SearchPattern(searchText),
        !pane.select(pattern, from: start(of: prompt, in: pane), isForward: true, model)
      else { return [] }
      return noMatch(model)
    case .command: return execute(prompt.line)
    case .serverUser(let server): return open(.serverSecret(server, user: prompt.line), on: pane)
    case .serverCertificate(let question):
      guard prompt.line.lowercased() == "yes" else { return [.say("the server is not added")] }
      return [.send(.library(question.request))]
    case .serverSecret where prompt.text.isEmpty: return [.say("nothing was typed: the server is not added")]
    case .serverSecret(let server, let user):
      let request = LibraryRequest.addServer(server, user: user.isEmpty ? nil : user, TypedSecret(prompt.line))
      return [.obey(.show(.library)), .send(.library(.open)), .send(.library(request))]
    case .token where prompt.text.isEmpty: return [.obey(.player(.set(.listenbrainz, "on")))]
    case .token: return [.send(.ask(.keepToken(TypedSecret(prompt.line))))]
    }
  }

  private mutating func cancel(on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    guard let prompt else { return [] }
    self.prompt = nil
    if prompt.kind == .search, let effects = pane.handle(.search(nil), model) { return effects }
    if prompt.kind == .filter { pane.setFilter(prompt.origin.filter, model) }
    if prompt.kind.actsOnView { returnToOrigin(of: prompt, on: &pane, model) }
    return []
  }

  /// The row at which a search begins.
  private func start(of prompt: Prompt, in pane: any Pane) -> Int { prompt.origin.row ?? pane.list.selected ?? 0 }

  /// Selects the row from before the line was opened, or again follows the music.
  private func returnToOrigin(of prompt: Prompt, on pane: inout any Pane, _ model: ScreenModel) {
    if let row = prompt.origin.row {
      pane.list.select(row)
    } else {
      _ = pane.handle(.selectPlaying, isShown: true, model)
    }
  }

  // MARK: Commands

  private mutating func execute(_ line: String) -> [ScreenEffect] {
    let action: Action?
    do throws(CommandError) { action = try Action.parse(line) } catch {
      return [.say(error.message)] + remember(line)
    }
    // A command shows Help; only its key leads back, too.
    return action.map { remember(line) + [.obey($0 == .show(.help) ? .help("") : $0)] } ?? []
  }

  private mutating func remember(_ line: String) -> [ScreenEffect] {
    guard history.last != line else { return [] }
    history = (history + [line]).suffix(Self.historyLimit)
    // The history file must not contain names and passwords.
    return [.send(.ask(.remember(line.withoutUserInfo)))]
  }

  private mutating func complete(_ step: Int, on pane: any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    guard let prompt, self.prompt?.cycle(step) == false else { return [] }
    if prompt.kind == .search, pane.traits.search != nil { return lookUp(.query(prompt.lineToCursor), model) }
    guard let completion = completion(model) else { return [] }
    if completion.isPlaylist, completion.candidates.isEmpty { return lookUp(.playlist, model) }
    if let lookup = completion.lookup { return lookUp(lookup, model) }
    self.prompt?.offer(completion.candidates, from: completion.start)
    return []
  }

  private mutating func lookUp(_ lookup: Completion.Lookup, _ model: ScreenModel) -> [ScreenEffect] {
    prompt?.lookUp(lookup)
    switch lookup {
    case .file(let beginning, let onlyFolders):
      return [.send(.ask(.completions(beginning, onlyFolders: onlyFolders, in: model.folder)))]
    case .query(let text): return [.send(.library(.complete(text)))]
    case .playlist: return [.send(.library(.open))]
    }
  }

  private func completion(_ model: ScreenModel) -> Completion? {
    guard let prompt, prompt.kind == .command else { return nil }
    return Completion(prompt.lineToCursor, model.configuration, playlists: playlists, outputs: outputs)
  }

  private mutating func offer(_ names: [String], for beginning: String, _ model: ScreenModel) {
    guard case .file(beginning, _)? = prompt?.lookup, let start = completion(model)?.start else { return }
    prompt?.offer(names, from: start)
  }

  /// A search follows its completion.
  private mutating func offer(
    _ completion: QueryCompletion, for query: String, on pane: inout any Pane, _ model: ScreenModel
  ) -> [ScreenEffect] {
    guard let prompt, prompt.lookup == .query(query) else { return [] }
    let start = prompt.kind == .command ? self.completion(model)?.start ?? 0 : 0
    let words = completion.candidates.map { $0.hasSuffix(":") ? $0 : $0 + " " }
    self.prompt?.offer(words, from: start + completion.start)
    return follow(on: &pane, model)
  }

  // MARK: Searching

  /// Selects the next match of the last search, or the one before.
  private func search(isForward: Bool, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    guard let pattern = SearchPattern(searchText) else { return [.say("Nothing was searched for yet")] }
    let count = pane.list.shownCount
    let place = pane.list.selectedPlace + (isForward ? 1 : count - 1)
    let start = count > 0 ? pane.list.row(at: place % count) ?? 0 : 0
    guard !pane.select(pattern, from: start, isForward: isForward, model) else { return [] }
    return noMatch(model)
  }

  private func noMatch(_ model: ScreenModel) -> [ScreenEffect] {
    let finder = model.keyMap.label(of: .show(.finder)).map { " in this list. \($0) finds all music" } ?? ""
    return [.say("no match for \"\(searchText)\"" + finder)]
  }

  // MARK: Pasted text

  /// Plays the files and addresses of a text while nothing plays, and adds them to the queue otherwise. Other text
  /// is refused: it was hardly pasted in order to play it.
  static func open(pasted text: String, _ model: ScreenModel) -> [ScreenEffect] {
    let text = String(text.drop(while: \.isWhitespace))
    guard !text.isEmpty else { return [] }
    let start = text.drop { "'\"".contains($0) }
    let isPath = start.hasPrefix("/") || start.hasPrefix("~/") || start.prefix(16).contains("://")
    guard isPath else { return [.say("The pasted text is not a path or an address")] }
    return [
      .send(.find(WrittenNames(text), model.playback.state == .stopped ? .played : .turn(.end), in: model.folder))
    ]
  }

  /// One line of pasted text. Paths in lines of their own become words of the command line.
  private static func line(ofPasted text: String, in kind: Prompt.Kind) -> [Character] {
    let lines = text.split(whereSeparator: \.isNewline)
    if kind.isSecret { return Array(lines.first ?? "") }
    let arePaths = lines.count > 1 && lines.allSatisfy { $0.hasPrefix("/") || $0.contains("://") }
    guard kind == .command, arePaths else { return text.map { $0.isWhitespace ? " " : $0 } }
    return Array(lines.map { quoted(String($0)) }.joined(separator: " "))
  }

  // MARK: Drawing

  /// `:add music/` with the cursor in it; of a long line the part before the cursor. The room that is left takes an
  /// error, or the arguments of a command until the first is typed.
  ///
  /// - Parameters:
  ///   - search: The view's own search.
  ///   - showsKeys: True to show the keys of the search at the end, if there is room.
  func draw(on painter: inout Painter, row: Int, _ search: PaneSearch? = nil, showsKeys: Bool = false) {
    guard let prompt else { return }
    let columns = painter.columns
    painter.fill(row: row, style: .plain)
    var end = columns
    if let progress = prompt.progress, columns > 30 {
      end -= painter.write(progress, row: row, endingAt: columns - 1, columns: 12, style: .faint) + 2
    }
    var (sign, isLong) = (prompt.kind.sign, false)
    if case .serverCertificate = prompt.kind { (sign, isLong) = (String(sign.suffix(max(0, columns - 2))), true) }
    let start = sign.count < columns / 2 || isLong ? painter.write(sign, row: row, column: 0, style: .state) : 0
    let room = max(0, end - start - 1)
    // Each character takes a column or more: text beyond a screenful is not measured.
    let text = prompt.shownText
    var before = text[..<prompt.cursor].suffix(room)
    while painter.width(of: String(before)) > room { before.removeFirst() }
    let cursor = start + painter.write(String(before), row: row, column: start, columns: room)
    let behind = String(text[prompt.cursor...].prefix(room + 1))
    painter.write(behind, row: row, column: cursor, columns: max(0, end - cursor))
    // The cursor takes a column even on a character without width.
    painter.fill(row: row, cursor..<(cursor + 1), style: .selected)
    if let character = behind.first {
      painter.write(String(character), row: row, column: cursor, columns: end - cursor, style: .selected)
    }
    if let refusal = prompt.refusal {
      let columns = min(end, painter.width(of: refusal) + 2)
      painter.write(" \(refusal) ", row: row, endingAt: end, columns: columns, style: .failed)
      return
    }
    let free = cursor + painter.width(of: behind) + 3
    if prompt.kind == .command, behind.isEmpty, prompt.text.last == " ",
      let arguments = Action.synopsis(of: String(prompt.text.dropLast()))
    {
      painter.write(arguments, row: row, column: free, columns: max(0, end - free), style: .faint)
    }
    guard prompt.kind == .search, let search else { return }
    if let error = search.error {
      painter.write(error, row: row, column: free, columns: max(0, end - free), style: .failed)
    } else if showsKeys {
      let keys = search.keys.map { "\($0.key) \($0.word)" }.joined(separator: "  ")
      if free + keys.count < end {
        painter.write(keys, row: row, endingAt: end - 1, columns: keys.count, style: .faint)
      }
    }
  }
}

extension Prompt.Kind {
  fileprivate var sign: String {
    switch self {
    case .command: ":"
    case .search: "/"
    case .filter: "filter: "
    case .serverUser: "user (none: API key): "
    case .serverSecret(_, user: ""): "API key: "
    case .serverSecret: "password: "
    case .token: "token (Enter: the one that is kept): "
    case .serverCertificate(let question):
      (question.isChanged ? "" : "SHA-256 ") + question.fingerprint + (question.isChanged ? " CHANGED" : "") + " yes? "
    }
  }
}
