internal import AudioModel
public import Cells
internal import Library
internal import Playback
public import Commands

/// The whole state of the screen. Only `update` changes it. Each pane, the slider, the prompt and the
/// keys own their state; this type routes messages and actions to them, and carries out their effects.
public struct ScreenState: Sendable {
  /// The part of the screen that the movement keys move.
  enum Focus: Sendable, Hashable { case list, slider }

  private(set) var model: ScreenModel
  /// One pane for each view.
  private(set) var panes: [any Pane]
  public private(set) var shownView = ScreenView.queue {
    didSet {
      guard shownView != oldValue else { return }
      formerView = oldValue
      rowMouse.cancel(on: &panes[oldValue.index])
      panes[oldValue.index].close()
      promptLine.leaveView()
    }
  }
  /// The view that was shown before.
  private var formerView = ScreenView.queue
  /// The view for the next session: the finder would begin in the middle of a search, and the guide is over.
  public var lastingView: ScreenView { [.finder, .setup, .web].contains(shownView) ? formerView : shownView }
  private(set) var focus = Focus.list
  private(set) var slider: Slider
  private(set) var visualizer = Visualizer()
  private(set) var promptLine = PromptLine()
  private(set) var chooser: Chooser?
  private(set) var keys = KeyInput()
  private var held = HeldKeys()
  private(set) var notice = Notice()
  private var rowMouse = RowMouse()

  /// An empty screen.
  public init(size: Size, typography: Typography, configuration: Configuration = Configuration()) {
    model = ScreenModel(size: size, typography: typography, configuration: configuration)
    panes = ScreenView.allCases.map { $0.makePane() }
    slider = Slider()
  }

  /// Takes the characters of another terminal.
  public mutating func adopt(_ typography: Typography) { model.adopt(typography) }

  public var configuration: Configuration { model.configuration }
  /// The selected row of the queue, from 0; 0 if there is none.
  public var selectedRow: Int { panes[ScreenView.queue.index].list.selected ?? 0 }

  /// The folder of Files, and what is selected in it.
  public var files: FacePlace.Files? { (panes[ScreenView.files.index] as? FilesView)?.place }

  private var shown: Int { shownView.index }
  var shownPane: any Pane { panes[shown] }
  var layout: Layout { layout(hasSide: model.cover.picture != nil) }

  private func layout(hasSide: Bool) -> Layout {
    let isBeside = hasSide && configuration.settings.panes && shownView.row.hasSide
    return Layout(
      size: model.size, showsColumnHeads: shownPane.traits.hasHeads, visualizerRows: visualizer.rowCount(model),
      side: isBeside ? configuration.settings.side : .off, hasCover: model.showsSmallCovers)
  }

  private var lyrics: Int { ScreenView.lyrics.index }
  /// The lyrics in the side pane; `nil` if there are none, or another place shows them.
  var sideLyrics: (any Pane)? {
    shownView != .lyrics && !layout.side.isEmpty && panes[lyrics].list.shownCount > 0 ? panes[lyrics] : nil
  }
  var header: Header {
    Header(
      shown: shownView, rowCount: layout.header.count, columns: model.size.columns, keyMap: model.keyMap)
  }
  /// The keys that work now; `nil` if they are not shown.
  var hintLine: HintLine? {
    let hasRoom = model.size.columns >= HintLine.leastColumns && layout.texts.count > 1
    guard configuration.settings.hints, hasRoom else { return nil }
    if let chooser { return HintLine(only: chooser.hints(model.keyMap)) }
    if let keys = promptLine.hints(shownPane.traits.search) { return HintLine(only: keys) }
    if focus == .slider { return HintLine(slider.hints(model.keyMap), model) }
    let marks = model.keyMap.hints(shownPane.list.hasMarks ? [(.cancel, "unmark")] : [])
    return HintLine(marks + shownPane.hints(model), model)
  }
  /// Words about the queue, the longest text first.
  var queueTexts: [String] { panes[ScreenView.queue.index].traits.queue?.texts ?? [] }

  // MARK: Messages

  mutating func handle(_ message: Message, at time: MonotonicTime) -> [ScreenCommand] {
    model.advance(to: time)
    var commands = meetDeadlines(before: message)
    let entry = model.playback.entry?.id
    model.note(message)
    if model.playback.entry?.id != entry { slider.reset() }
    commands += route(message)
    commands += perform(promptLine.receive(message, on: &panes[shown], model))
    for index in panes.indices { commands += perform(panes[index].receive(message, model)) }
    if case .restored(let view, selected: _, files: _) = message { commands += open(view) }
    commands += refresh().map { .player($0) }
    while let key = held.take(isReady: !shownPane.traits.awaitsRows, at: model.now) {
      commands += handle(key) + refresh().map { .player($0) }
    }
    if model.adoptCoverColors() { commands.append(.configure(configuration)) }
    return commands + slider.requestWaveform(model).map { .player($0) }
  }

  /// Brings the visible views up to date, and requests what they lack.
  private mutating func refresh() -> [Command] {
    var commands = requestCover()
    let layout = layout
    chooser?.settle(in: layout)
    commands += refresh(shown, columns: layout.listColumns.count, rows: layout.list.count)
    if !layout.side.isEmpty, shownView != .lyrics {
      let side = SidePane(model, columns: layout.side.count, rowCount: layout.sideRows.count)
      commands += refresh(lyrics, columns: layout.side.count, rows: side.lyrics.count)
    }
    return commands
  }

  private mutating func refresh(_ index: Int, columns: Int, rows: Int) -> [Command] {
    model.paneColumns = columns
    panes[index].list.settle(height: rows - panes[index].traits.headRows)
    panes[index].refresh(model)
    panes[index].list.settle(height: rows - panes[index].traits.headRows)
    return model.isVisible && rows > 0 ? panes[index].requestVisible(model) : []
  }

  private mutating func requestCover() -> [Command] {
    let layout = layout(hasSide: true)
    let isLarge = shownView == .cover || !layout.side.isEmpty
    let isShown = model.showsCovers && (isLarge || !layout.cover.isEmpty) && model.isVisible
    let wantsColors = model.wantsCoverColors
    // The colours stay while nobody sees them.
    guard model.isVisible || !wantsColors else { return [] }
    // A cell shows two or three pixels below each other.
    let needsPixels = isShown && isLarge && (model.typography.hasPixels || model.size.rows > 50)
    return model.cover.request(
      model.playback, hasRoom: isShown, wantsColors: wantsColors,
      side: needsPixels ? Inquiry.largeCoverSide : Inquiry.smallCoverSide)
  }

  private mutating func route(_ message: Message) -> [ScreenCommand] {
    switch message {
    case .terminal(.key(let key)):
      // The way out does not wait.
      if key == Key(.escape) { held.clear() }
      guard !held.isEmpty || shownPane.traits.awaitsRows && isForRows(key) else { return handle(key) }
      held.hold(key, at: model.now)
    case .terminal(.mouse(let event)):
      let layout = layout
      return chooser == nil ? handle(event) : choose(chooser?.handle(event, in: layout))
    case .terminal(.paste) where chooser != nil: break
    case .terminal(.paste(let text)):
      guard promptLine.prompt != nil else { return perform(PromptLine.open(pasted: text, model)) }
      return perform(promptLine.paste(text, on: &panes[shown], model))
    case .terminal(.excessivePaste): return perform(promptLine.refusePaste())
    case .terminal(.focused(false)):
      slider.abandonDrag()
      rowMouse.cancel(on: &panes[shown])
      keys.abandon()
    case .terminal(.closed): return [.hangUp]
    // The rows under the mouse may be others now.
    case .queue, .answer(.library(.list)), .answer(.folder), .answer(.streams): rowMouse.cancel(on: &panes[shown])
    case .answer(.waveform(let waveform, let id)): slider.note(waveform, of: id)
    case .heard(let sound): visualizer.receive(sound, model)
    case .settings(let settings): model.apply(settings)
    case .configured(let new):
      chooser = nil
      configure(new.changed(by: configuration.changes))
    case .notice(let text): notice.say(model.namingKeys(text), at: model.now)
    default: break
    }
    return []
  }

  private mutating func configure(_ new: Configuration) {
    model.configure(new)
    keys.reset()
  }

  // MARK: Time

  /// The time of the next change without a message.
  func deadline(withVisualizer: Bool = true) -> MonotonicTime? {
    let work = [slider.deadline(model), keys.deadline, held.deadline]
    let sights =
      model.isVisible
      ? [notice.deadline, model.nextSecond, shownPane.traits.deadline, sideLyrics?.traits.deadline] : []
    return (work + sights + [withVisualizer ? visualizer.deadline(model) : nil]).compactMap(\.self).min()
  }

  private mutating func meetDeadlines(before message: Message) -> [ScreenCommand] {
    notice.expire(at: model.now)
    var commands = perform(slider.meetDeadlines(&model))
    if let outcome = keys.expire(model.keyMap, at: model.now) { commands += follow(outcome) }
    // Sound that comes late is drawn first, and keys are read: requests in answer to it might never end.
    if case .heard = message { return commands }
    if let frameCount = visualizer.takeDue(model) { commands.append(.listen(frameCount: frameCount)) }
    return commands
  }

  // MARK: Effects

  private mutating func perform(_ effects: [ScreenEffect]) -> [ScreenCommand] {
    var commands: [ScreenCommand] = []
    for effect in effects {
      switch effect {
      case .send(let command): commands.append(.player(command))
      case .say(let text): notice.say(text, at: model.now)
      case .obey(let action): commands += handle(action)
      case .show(let view): shownView = view
      case .leave: shownView = formerView
      }
    }
    return commands
  }

  // MARK: Keys

  private mutating func handle(_ key: Key) -> [ScreenCommand] {
    if chooser != nil { return choose(chooser?.handle(key, model.keyMap)) }
    if promptLine.prompt != nil { return perform(promptLine.handle(key, on: &panes[shown], model)) }
    notice.clear()
    if keys.awaitsLetter {
      if let letter = keys.takeLetter(key) { return handle(.jump(String(letter))) }
      if key == Key(.escape) { return [] }
    }
    if focus == .slider, !keys.isPending, key.modifiers.isEmpty, case .character(let character) = key.symbol,
      let digit = character.wholeNumberValue, character.isASCII
    {
      return perform(slider.moveGhost(toFraction: Double(digit) / 10, model))
    }
    if focus == .list, !keys.isPending, let effects = panes[shown].handle(.key(key), model) { return perform(effects) }
    return follow(keys.take(key, model.keyMap, at: model.now))
  }

  /// True if a key acts on the rows of the view.
  private func isForRows(_ key: Key) -> Bool {
    if chooser != nil { return false }
    if promptLine.prompt != nil { return promptLine.choosesRows(key, in: shownPane) }
    guard focus == .list, !keys.isPending, case .action(let action, _) = model.keyMap.match([key]) else { return false }
    return action.isForRows
  }

  private mutating func follow(_ outcome: KeyInput.Outcome) -> [ScreenCommand] {
    switch outcome {
    case .pending: return []
    case .action(let action, let rest):
      var commands = obey(action)
      for key in rest { commands += handle(key) }
      return commands
    case .nothing(let reason): return reason.map { perform([.say($0)]) } ?? []
    }
  }

  /// Performs the action of a key. While the slider has the focus, movement keys move its thumb.
  private mutating func obey(_ action: Action) -> [ScreenCommand] {
    guard focus == .slider else { return handle(action) }
    if let effects = slider.handleFocused(action, &model) { return perform(effects) }
    return handle(action)
  }

  // MARK: Actions

  /// Performs the action of a key or a command, or shows the reason why it is not possible.
  mutating func handle(_ action: Action) -> [ScreenCommand] {
    if let effects = promptLine.handle(action, on: &panes[shown], model) {
      if promptLine.prompt != nil { notice.clear() }
      return perform(effects)
    }
    if focus == .slider, let effects = slider.handle(action, &model) { return perform(effects) }
    if focus == .slider, action == .cancel {
      if !slider.cancel() { focus = .list }
      return []
    }
    if let effects = handleInPanes(action) ?? slider.handle(action, &model) { return perform(effects) }
    return handleOwn(action)
  }

  private mutating func handleInPanes(_ action: Action) -> [ScreenEffect]? {
    let shown = shown
    if let effects = panes[shown].handle(action, isShown: true, model) { return effects }
    for index in panes.indices where index != shown {
      if let effects = panes[index].handle(action, isShown: false, model) { return effects }
    }
    return nil
  }

  private mutating func handleOwn(_ action: Action) -> [ScreenCommand] {
    switch action {
    case .move(let motion): panes[shown].list.move(motion)
    case .jump(nil): keys.awaitLetter()
    case .jump(let letters?):
      focus = .list
      if !panes[shown].jump(to: letters, model) { return perform([.say("no row begins with \(letters)")]) }
    case .markRow, .markRange, .markAll, .markAlbum, .unmark: return perform(panes[shown].mark(action))
    case .player(let command): return complete(command)
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .show(let view):
      guard shownView == view else { return open(view) }
      return view.hasMusic ? [] : open(formerView == .finder ? .queue : formerView)
    case .help(let text):
      let commands = open(.help)
      panes[shown].setFilter(text, model)
      return commands
    case .cancel: return cancel()
    case .switchFocus:
      focus = focus == .list ? .slider : .list
      return perform(slider.commitGhost(&model))
    case .toggleRemaining:
      return change(.set(.remaining, configuration.settings.remaining ? "off" : "on"), isShown: false)
    case .cycleVisualizer: return change(.set(.visualizer, configuration.settings.visualizer.following.rawValue))
    case .togglePanes: return change(.set(.panes, configuration.settings.panes ? "off" : "on"))
    case .choose(let setting): return choose(setting)
    case .showSetting(let setting): return perform([.say(configuration.settings.sentence(on: setting))])
    case .set, .bind, .unbind, .style: return change(action)
    // For the prompt, the slider and the panes, where they can obey.
    case .search, .searchNext, .searchPrevious, .filter, .prompt, .undoSeek, .mark, .playSelected, .selectPlaying,
      .remove, .moveTrack, .removeAlbum, .moveAlbum, .sort, .keepStream, .rename, .find, .changeFolder, .parentFolder,
      .toggleAllFiles:
      break
    }
    return []
  }

  private mutating func open(_ view: ScreenView) -> [ScreenCommand] {
    shownView = view
    // The letters of the search are for its rows.
    if shownPane.traits.search?.choosesRows == true { focus = .list }
    return perform(panes[shown].open(model))
  }

  private mutating func cancel() -> [ScreenCommand] {
    if slider.cancel() { return [] }
    if rowMouse.isDragging {
      rowMouse.cancel(on: &panes[shown])
    } else if panes[shown].list.hasMarks {
      panes[shown].list.clearMarks()
    } else if !panes[shown].list.filterText.isEmpty {
      panes[shown].setFilter("", model)
    } else if let effects = panes[shown].handle(.search(nil), model) {
      return perform(effects)
    } else {
      shownView = .queue
    }
    return []
  }

  /// Changes a setting, a key or a look. The session keeps it; the program never writes configuration files.
  private mutating func change(_ action: Action, isShown: Bool = true) -> [ScreenCommand] {
    var new = configuration
    if let refusal = new.change(action) { return perform([.say(refusal)]) }
    configure(new)
    guard isShown else { return [.configure(new)] }
    let effect = [action.effect, visualizer.refusal(of: action, model)].compactMap(\.self).joined(separator: "; ")
    return perform([.say(model.sentence(on: action, effect))]) + [.configure(new)]
  }

  // MARK: Choosing

  /// Opens the list of a setting, for columns beside the tracks that have them.
  private mutating func choose(_ setting: ScreenSetting) -> [ScreenCommand] {
    guard layout.list.count > 1 else {
      return perform([.say("The screen is too small to choose: write set \(setting.rawValue)=VALUE")])
    }
    let hasTracks = setting != .columns || [.queue, .library].contains(shownView)
    let commands = hasTracks ? [] : open(.queue)
    notice.clear()
    chooser = Chooser(setting, configuration)
    return commands
  }

  /// Shows what was chosen in the list, keeps it, or returns to what was before.
  private mutating func choose(_ outcome: Chooser.Outcome?) -> [ScreenCommand] {
    guard let chooser, let outcome else { return [] }
    var new = chooser.original
    new.player = configuration.player
    if outcome == .show { _ = new.apply(.set(chooser.setting, chooser.value)) }
    configure(new)
    guard outcome != .show else { return [.configure(configuration)] }
    self.chooser = nil
    let isChanged = configuration.settings.text(of: chooser.setting) != chooser.value
    return outcome == .keep && isChanged
      ? change(.set(chooser.setting, chooser.value)) : [.configure(configuration)]
  }

  /// Forwards a request to the player.
  private mutating func complete(_ command: Command) -> [ScreenCommand] {
    switch command {
    case .find(let names, .list, in: nil) where names.isEmpty: return handle(.playSelected)
    case .find(let names, .whole, in: nil) where names.isEmpty:
      return perform([selectedTracks.replacingQueue])
    case .library(.playlist(let change)):
      let whole = change.completed(selection: selectedTracks, folder: model.folder)
      if case .add(_, .selection) = change { panes[shown].list.clearMarks() }
      return [.player(.library(.playlist(whole)))]
    case .library(.similar(.selection, let destination)):
      return [.player(.library(.similar(selectedTracks ?? .selection, destination)))]
    case .set(let setting, let value):
      let effect = "\(setting.rawValue) is now \(value.isEmpty ? "empty" : value)"
      return perform([.say(model.sentence(on: .player(command), effect)), .send(command)])
    default: return [.player(command)]
    }
  }

  private var selectedTracks: PlaylistRequest.Source? { (shownPane as? any MusicPane)?.selectedTracks }

  // MARK: The mouse

  private mutating func handle(_ event: MouseEvent) -> [ScreenCommand] {
    switch event.kind {
    case .press(.left):
      notice.clear()
      return press(event)
    case .press(.middle): return press(event, marks: true)
    case .press(.right): return [.player(.togglePause)]
    case .drag(.left), .drag(.middle):
      guard rowMouse.isDragging else { return perform(slider.drag(event, row: layout.slider, model)) }
      rowMouse.move(to: place(under: event), on: &panes[shown])
    case .release(.left), .release(.middle):
      guard rowMouse.isDragging else { return perform(slider.release(&model)) }
      return perform(rowMouse.release(at: place(under: event), on: &panes[shown], model))
    case .wheelUp: return wheel(event, direction: 1)
    case .wheelDown: return wheel(event, direction: -1)
    default: break
    }
    return []
  }

  private mutating func press(_ event: MouseEvent, marks: Bool = false) -> [ScreenCommand] {
    rowMouse.cancel(on: &panes[shown])
    let layout = layout
    if let place = place(under: event) {
      focus = .list
      let action = rowMouse.press(at: place, marks: marks, event.modifiers, on: &panes[shown], at: model.now)
      return action.map { handle($0) } ?? []
    }
    if marks { return [] }
    if event.row == layout.slider { return perform(slider.press(event, model)) }
    if layout.list.contains(event.row), layout.listColumns.contains(event.column) {
      guard !rowColumns.contains(event.column) else { return [] }
      focus = .list
      let row = event.row - layout.list.lowerBound
      return perform(panes[shown].handle(.press(row: row, rowCount: layout.list.count), model) ?? [])
    }
    if layout.sideRows.contains(event.row), layout.side.contains(event.column) { return open(.cover) }
    if layout.header.contains(event.row), let view = header.view(at: event.column, row: event.row) { return open(view) }
    return []
  }

  var rowColumns: Range<Int> {
    let columns = layout.listColumns
    guard let own = shownPane.traits.rowColumns else { return columns }
    return (columns.lowerBound + own.lowerBound)..<(columns.lowerBound + own.upperBound)
  }

  /// The place of the row under the mouse; `nil` outside the rows.
  private func place(under event: MouseEvent) -> Int? {
    let (rows, columns) = (layout.list, rowColumns)
    guard rows.contains(event.row), columns.contains(event.column) else { return nil }
    return shownPane.place(atRow: event.row - rows.lowerBound, column: event.column - columns.lowerBound)
  }

  private mutating func wheel(_ event: MouseEvent, direction: Int) -> [ScreenCommand] {
    let layout = layout
    if event.row == layout.slider { return perform(slider.wheel(event, direction: direction, &model)) }
    if layout.list.contains(event.row) { panes[shown].scroll(by: -3 * direction) }
    return []
  }
}
