internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The view Files: a folder of the file system.
struct FilesView: MusicPane {
  var list = ListView()
  /// The folder; `nil` until one was read.
  private var folder: BytePath?
  /// All that is in it. The parent folder comes first, if there is one.
  private var contents: [FolderItem] = []
  /// What is shown of it.
  private var items: [FolderItem] = []
  private var standsInForMusic = false
  /// True if files that cannot be played are shown, too.
  private var showsAll = false
  /// The reason why the folder cannot be read.
  private var failure: String?
  /// The library's rows of the files, by their names, and the folder for which it was asked.
  private var known: [BytePath: LibraryRow] = [:]
  private var asked: BytePath?
  /// The selection of the last session, until its folder was read.
  private var restored: FacePlace.Files?

  var traits: PaneTraits { PaneTraits(hasHeads: true) }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    let enter = selectedItem.map { [.parent, .folder].contains($0.kind) ? "open" : "play" }
    let keys = enter.map { [(action: Action.playSelected, word: $0)] } ?? []
    let isAddable = list.hasMarks || selectedItem.map { $0.kind != .parent } ?? false
    return model.keyMap.hints(keys + (isAddable ? Self.adding : []) + [(action: .undoSeek, word: "up")])
  }

  private var selectedItem: FolderItem? { list.selected.map { items[$0] } }
  private var chosenPaths: [BytePath] {
    list.chosenRows.map { items[$0] }.filter { $0.kind != .parent }.map(\.path)
  }
  var selectedTracks: PlaylistRequest.Source? {
    let paths = chosenPaths
    return paths.isEmpty ? nil : .entries(paths.map { CollectedEntry(location: .file($0)) })
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    let name = items[row].path.lastComponent
    return pattern.matches([known[name]?.title], name: name.bytes[...])
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String {
    items[row].kind == .parent ? "" : items[row].path.lastComponent.description
  }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .answer(.folder(let contents)):
      // The folder of the last session may be gone.
      if contents.failure != nil, contents.folder == restored?.folder {
        (folder, restored) = (nil, nil)
        return open(model)
      }
      show(contents, model)
    case .answer(.library(.folder(let rows, of: let path))) where path == folder:
      let named = rows.compactMap { row in row.playablePath.map { (name: $0.lastComponent, row: row) } }
      known = Dictionary(named.map { ($0.name, $0.row) }, uniquingKeysWith: { first, _ in first })
    case .answer(.library(.changed)): asked = nil
    case .restored(_, selected: _, files: let place?): (folder, restored) = (place.folder, place)
    default: break
    }
    return []
  }

  /// The folder, and what is selected in it.
  var place: FacePlace.Files? {
    folder.map { FacePlace.Files(folder: $0, item: selectedItem?.path ?? restored?.item) }
  }

  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    guard let folder, folder != asked, items.contains(where: { $0.kind == .playable }) else { return [] }
    asked = folder
    return [.ask(.library(.folder(folder)))]
  }

  /// Shows a folder. After a step to the parent folder, the folder left is selected.
  private mutating func show(_ contents: FolderContents, _ model: ScreenModel) {
    let before = folder
    let isSame = before == contents.folder && restored == nil
    let selectedName = restored?.folder == contents.folder ? restored?.item : isSame ? selectedItem?.path : before
    restored = nil
    (folder, standsInForMusic) = (contents.folder, contents.standsInForMusic || isSame && standsInForMusic)
    if isSame {
      self.contents = contents.items
      list.moveMarks(from: items.lazy.map(\.path), to: shownItems.lazy.map(\.path))
    } else {
      list.clear()
      self.contents = contents.items
      (known, asked) = ([:], nil)
    }
    items = shownItems
    list.firstMarkable = items.first?.kind == .parent ? 1 : 0
    failure = contents.failure?.description
    setCount(items.count, model)
    // In a folder below, the first thing that Enter opens or plays.
    let first = items.firstIndex { $0.kind != .parent && $0.kind != .other } ?? max(0, min(1, items.count - 1))
    let former = items.firstIndex { $0.path == selectedName && (isSame || $0.kind != .parent) }
    list.select(former ?? (isSame ? list.selected ?? first : first))
  }

  private var shownItems: [FolderItem] { showsAll ? contents : contents.filter { $0.kind != .other } }

  private mutating func toggleAll(_ model: ScreenModel) -> [ScreenEffect] {
    showsAll.toggle()
    let selected = selectedItem?.path
    list.moveMarks(from: items.lazy.map(\.path), to: shownItems.lazy.map(\.path))
    items = shownItems
    setCount(items.count, model)
    if let row = items.firstIndex(where: { $0.path == selected }) { list.select(row) }
    return [.say(showsAll ? "all files are shown" : "only what can be played is shown")]
  }

  /// Reads the folder again: it may have changed.
  mutating func open(_ model: ScreenModel) -> [ScreenEffect] {
    [.send(.ask(.folder(folder ?? BytePath(model.configuration.player.music))))]
  }

  // MARK: Actions

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .playSelected where isShown:
      guard let item = selectedItem else { return [] }
      switch item.kind {
      case .parent, .folder: return [.send(.ask(.folder(item.path)))]
      case .playable:
        let rows = shownTracks
        let start = rows.firstIndex { $0 == list.selected } ?? 0
        return [.send(.collect(rows.map { items[$0].path }, .list(from: start)))]
      case .playlist, .other: return [.send(.collect([item.path], .played))]
      }
    case .player(.find([], .turn(let placement), in: nil)) where isShown:
      let paths = chosenPaths
      if paths.isEmpty { return nil }
      if list.hasMarks { list.clearMarks() } else { list.move(.rows(1)) }
      return [.send(.collect(paths, .turn(placement)))]
    case .undoSeek where isShown: return openParent(model)
    case .parentFolder: return openParent(model)
    case .toggleAllFiles where isShown: return toggleAll(model)
    case .toggleAllFiles: return [.show(.files)] + open(model)
    case .changeFolder(let name):
      let path = BytePath(name)
      let isRelative = !path.isAbsolute && name.first != "~"
      return [
        .show(.files), .send(.ask(.folder(isRelative ? (folder ?? BytePath(".")).appending(path) : path))),
      ]
    default: return nil
    }
  }

  /// The rows of the tracks that the filter shows.
  private var shownTracks: [Int] {
    (0..<list.shownCount).compactMap { list.row(at: $0) }.filter { items[$0].kind == .playable }
  }

  private mutating func openParent(_ model: ScreenModel) -> [ScreenEffect] {
    guard let folder, folder.bytes != Array("/".utf8) else { return [.show(.files)] + open(model) }
    return [.show(.files), .send(.ask(.folder(folder.parent)))]
  }

  // MARK: Drawing

  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    guard let folder else { return }
    let start = Self.margin(painter) + 2
    let text =
      model.shown(folder.description) + (standsInForMusic ? " (no ~/Music here; :cd FOLDER shows another folder)" : "")
    painter.write(text, row: 0, column: start, columns: painter.columns - start - 1, style: .faint)
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let margin = Self.margin(painter)
    let start = margin + 2
    let room = painter.columns - start - 1
    let playing = model.playback.entry?.location.path
    drawRows(on: &painter, selection: selection, ifEmpty: "Reading …") { painter, index, selection in
      let item = items[index]
      let isPlaying = item.path == playing
      let style: Style =
        isPlaying
        ? (selection == .selected ? .selectedPlaying : .playing)
        : selection == .plain && item.kind == .other ? .faint : selection
      painter.fill(row: 0, style: style)
      let sign = isPlaying ? ">" : Self.sign(of: item.kind, painter.typography)
      painter.write(sign, row: 0, column: margin, columns: 1, style: style)
      let name = item.kind == .parent ? ".." : item.path.lastComponent.description
      let end = item.kind == .folder || item.kind == .parent ? "/" : ""
      let rest = drawFacts(of: item, on: &painter, from: start, style: style)
      painter.write(name + end, row: 0, column: start, columns: rest, style: style)
    }
    if let failure {
      painter.write(failure, row: items.count, column: start, columns: room, style: .failed)
    } else if folder != nil, !items.contains(where: { $0.kind != .parent }), list.filterText.isEmpty {
      painter.write(emptyText(model), row: items.count, column: start, columns: room, style: .faint)
    }
  }

  /// Draws title and time of a file that the library knows. Returns the columns that are left for its name.
  private func drawFacts(of item: FolderItem, on painter: inout Painter, from start: Int, style: Style) -> Int {
    let room = painter.columns - start - 1
    guard painter.columns >= 30, let row = known[item.path.lastComponent] else { return room }
    let quiet = style == .plain ? Style.faint : style
    painter.write(row.note, row: 0, endingAt: painter.columns - 1, columns: Self.timeColumns, style: quiet)
    let rest = room - Self.timeColumns - 2
    let name = item.path.lastComponent.description
    // A file without a title is known by its name.
    guard painter.columns >= 60, !name.hasPrefix(row.title + ".") else { return rest }
    let split = rest / 2
    painter.write(row.title, row: 0, column: start + split, columns: rest - split, style: style)
    return split - 2
  }

  private static let timeColumns = 8

  /// The sentence in a folder without anything that is shown.
  private func emptyText(_ model: ScreenModel) -> String {
    let hidden = contents.count == items.count ? nil : model.keyMap.label(of: .toggleAllFiles)
    let keys = [
      hidden.map { "\($0) shows all files" },
      model.keyMap.label(of: .prompt("open")).map { "\($0) opens another folder, or an address" },
    ]
    return (["No music in this folder"] + keys.compactMap(\.self)).joined(separator: ", ") + "."
  }

  private static func margin(_ painter: Painter) -> Int { painter.columns >= 20 ? 1 : 0 }

  private static func sign(of kind: FolderItem.Kind, _ typography: Typography) -> String {
    switch kind {
    case .playable: typography.sign.playable
    case .playlist: typography.sign.playlist
    case .parent, .folder, .other: " "
    }
  }
}
