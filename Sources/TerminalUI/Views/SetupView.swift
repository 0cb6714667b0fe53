internal import AudioModel
internal import ByteIO
internal import Cells
internal import Commands

/// The view Setup, the guide of the first start: Enter does what the selected row says. Nothing is done before.
struct SetupView: TablePane {
  var table = TextTable(nameColumns: 17)
  private var facts: SetupFacts?
  private var scan: LibraryScanState?
  private var isOpen = false

  func emptyText(_ model: ScreenModel) -> String { "" }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    model.keyMap.hints([(.playSelected, "choose"), (.cancel, "skip")])
  }

  mutating func open(_ model: ScreenModel) -> [ScreenEffect] {
    isOpen = true
    return [.send(.ask(.setup(nil)))]
  }

  mutating func close() { isOpen = false }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .answer(.setup(let new)):
      facts = new
      if isOpen, !new.openFolders.isEmpty { return [.send(.ask(.setup(new)))] }
    case .answer(.library(.scanning(let state))): scan = state
    case .answer(.tokenKept): return [.obey(.player(.set(.listenbrainz, "on")))]
    default: break
    }
    return []
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .playSelected where isShown:
      guard let selected = list.selected else { return [] }
      return rows(model)[table.lines[selected].row].effects
    case .move(.rows(let count)) where isShown:
      guard let selected = list.selected else { return [] }
      let row = (table.lines[selected].row + count).clamped(to: 0...(table.lines.last?.row ?? 0))
      if let line = table.lines.firstIndex(where: { $0.row == row }) { list.select(line) }
    case .cancel where isShown: return [.obey(.show(.files))]
    default: return nil
    }
    return []
  }

  mutating func refresh(_ model: ScreenModel) {
    table.show(rows(model).map(\.row), columns: model.paneColumns, typography: model.typography)
  }

  // MARK: Rows

  private typealias Row = (row: TextTable.Row, effects: [ScreenEffect])

  private func rows(_ model: ScreenModel) -> [Row] {
    [
      music(model),
      (
        TextTable.Row("other music", "type the name of another folder, or the address of a server, such as Navidrome"),
        Self.asksForFolder
      ),
    ] + (facts?.otherPlayers ?? []).map { otherPlayer($0, model) }
      + [radio, lyrics(model), listens(model), keys(model), terminal(model)]
  }

  private static let asksForFolder = [ScreenEffect.obey(.prompt("library add"))]

  private func music(_ model: ScreenModel) -> Row {
    let name = "play"
    guard let facts else { return (TextTable.Row(name, "looking for your music"), []) }
    guard let folder = facts.music else {
      return (TextTable.Row(name, "there is no folder for music. Enter asks for its name"), Self.asksForFolder)
    }
    let music = model.shown(folder.description)
    let count = counted(facts.fileCount, "file", grouped) + (facts.openFolders.isEmpty ? "" : " so far")
    let progress = scan.map { "; \(grouped($0.read)) of \(grouped($0.toRead)) read" } ?? ""
    guard let album = facts.firstAlbum else {
      let isOver = facts.openFolders.isEmpty
      return (TextTable.Row(name, "\(music): " + (isOver ? "nothing that can be played" : "looking")), [])
    }
    let adds: [ScreenEffect] = facts.isInLibrary ? [] : [.send(.library(.add(folder)))]
    let effects = adds + [.send(.collect([album], .played)), .obey(.show(.queue))]
    let act = facts.isInLibrary ? "In the library; plays" : "Adds them to the library, and plays"
    let text = "\(music): \(count)\(progress). \(act) \(album.lastComponent)"
    return (TextTable.Row(name, text), effects)
  }

  private func otherPlayer(_ player: SetupFacts.OtherPlayer, _ model: ScreenModel) -> Row {
    let lists = player.playlists
    return (
      TextTable.Row(
        "from \(player.name)",
        "take \(lists.isEmpty ? "ratings, counts and " : "")playlists from " + model.shown(player.file.description)),
      [
        .send(
          .library(
            lists.isEmpty
              ? .importFacts(player.file) : .playlist(.read(WrittenNames(words: lists.map(\.description)), in: nil))))
      ]
    )
  }

  private var radio: Row {
    (
      TextTable.Row("radio", "a station to try: FIP, music of all kinds from Paris. It comes from the network"),
      [.send(.collect([BytePath(Self.station)], .played)), .obey(.show(.queue))]
    )
  }

  private static let station = "https://icecast.radiofrance.fr/fip-midfi.mp3"

  private func lyrics(_ model: ScreenModel) -> Row {
    let isOff = model.configuration.player.lyrics == "local"
    let text =
      isOff
      ? "from tags and files. Enter also asks lrclib.net: title, artist, album and duration are sent there"
      : "from tags and files, and from the network. set lyrics=online in config keeps that over a restart. Enter stops it"
    return (TextTable.Row("lyrics", text), [.obey(.player(.set(.lyrics, isOff ? "online" : "local")))])
  }

  private func listens(_ model: ScreenModel) -> Row {
    let isOff = model.configuration.player.listenbrainz == "off"
    let text =
      isOff
      ? "not sent. Enter sends what you hear to ListenBrainz: it asks for your token there. Last.fm: segue lastfm in a shell"
      : "sent to ListenBrainz\(model.configuration.player.session ? ", also after a restart" : ""). Enter stops it"
    return (
      TextTable.Row("listens", text),
      [.obey(.player(isOff ? .ask(.keepToken(nil)) : .set(.listenbrainz, "off")))]
    )
  }

  private func keys(_ model: ScreenModel) -> Row {
    let (all, preset) = (KeyMap.Preset.allCases, model.configuration.settings.keymap)
    let next = all[((all.firstIndex(of: preset) ?? 0) + 1) % all.count]
    return (
      TextTable.Row("keys", "as in \(preset.rawValue). Enter takes those of \(next.rawValue)"),
      [.obey(.set(.keymap, next.rawValue))]
    )
  }

  private func terminal(_ model: ScreenModel) -> Row {
    let typography = model.typography
    let signs = typography.isUnicode ? "Unicode" : "only ASCII: a UTF-8 locale brings more"
    let colors =
      typography.hasTrueColor
      ? "true colour"
      : typography.hasPalette
        ? "256 colours: export COLORTERM=truecolor if the terminal shows more"
        : "few colours: set TERM to the terminal's name"
    let pictures =
      !model.canShowPictures
      ? "no covers: too few colours or characters"
      : typography.hasPixels
        ? "covers in pixels" : "covers as blocks: kitty, Ghostty and terminals with sixels show pixels"
    return (TextTable.Row("terminal", "\(signs); \(colors); \(pictures). segue doctor says more"), [])
  }
}
