internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The view Streams: addresses of stations, the saved ones, then those of servers of music, then the recent ones.
struct StreamsView: MusicPane {
  var list = ListView()
  private var streams: [StreamList.Stream] = []
  private var keptCount = 0
  private var servedCount = 0
  private enum Change {
    /// What undoes it, and a sentence about it.
    case streams(undo: [StreamEdit], sentence: String)
    /// Streams were added to the queue, or replaced it.
    case queue
  }

  /// The changes that the listener made here, the last one at the end.
  private var changes: [Change] = []
  /// The stream that was last reported as played.
  private var heard: StreamList.Stream?

  var traits: PaneTraits { PaneTraits(hasHeads: true) }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    let open = (action: Action.prompt("open"), word: "open")
    guard let selected = list.selected else { return model.keyMap.hints([open]) }
    return model.keyMap.hints([
      (.playSelected, "play"), (.player(.find([], .turn(.end), in: nil)), "add"),
      selected < keptCount ? (.prompt("rename"), "rename") : (.keepStream(nil, title: nil), "save"), open,
    ])
  }

  private var selectedStream: StreamList.Stream? { list.selected.map { streams[$0] } }
  private var chosenStreams: [StreamList.Stream] { list.chosenRows.map { streams[$0] } }
  var selectedTracks: PlaylistRequest.Source? {
    let chosen = chosenStreams
    return chosen.isEmpty ? nil : .entries(chosen.map { CollectedEntry(location: .url($0.address), title: $0.title) })
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    pattern.matches(streams[row].title, streams[row].address)
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String {
    streams[row].title ?? streams[row].address.withoutUserInfo
  }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .answer(.streams(let new)): show(new, model)
    case .playback(let snapshot): return report(snapshot)
    default: break
    }
    return []
  }

  private mutating func show(_ new: StreamList, _ model: ScreenModel) {
    let selected = selectedStream?.address
    let rows = new.all
    list.moveMarks(from: streams.lazy.map(\.address), to: rows.lazy.map(\.address))
    (streams, keptCount, servedCount) = (rows, new.kept.count, new.served.count)
    setCount(streams.count, model)
    if let row = streams.firstIndex(where: { $0.address == selected }) { list.select(row) }
  }

  /// Requests to remember the current stream: once, and again when its name is known.
  private mutating func report(_ snapshot: PlaybackSnapshot) -> [ScreenEffect] {
    guard snapshot.state == .playing, let stream = Self.stream(of: snapshot), stream != heard else { return [] }
    heard = stream
    return [.send(.ask(.streams(.heard(stream))))]
  }

  /// The current stream, and its name.
  private static func stream(of playback: PlaybackSnapshot) -> StreamList.Stream? {
    // A track on a server is one of the library.
    guard let location = playback.entry?.location, location.libraryPath == nil, case .url(let address) = location else {
      return nil
    }
    return StreamList.Stream(address, title: playback.stream?.stationName ?? playback.information.tags.title)
  }

  mutating func open(_ model: ScreenModel) -> [ScreenEffect] { [.send(.ask(.streams()))] }

  // MARK: Actions

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    let selected = isShown ? selectedStream : nil
    switch action {
    case .playSelected where isShown:
      guard let selected else { return [] }
      note(.queue)
      return [.send(.collect([BytePath(selected.address)], .played))]
    case .player(.find([], .turn(let placement), in: nil)) where isShown:
      let addresses = chosenStreams.map { BytePath($0.address) }
      list.clearMarks()
      if addresses.isEmpty { return nil }
      note(.queue)
      return [.send(.collect(addresses, .turn(placement)))]
    case .remove where isShown: return remove(model)
    case .player(.undo) where isShown:
      switch changes.popLast() {
      case .streams(let undo, let sentence)?:
        return undo.map { .send(.ask(.streams($0))) } + [.say("undone: \(sentence)")]
      case .queue?: return nil
      case nil: return [.say("Nothing to undo in Streams; other changes of the queue are undone in another view")]
      }
    case .keepStream(let address?, let title): return keep(StreamList.Stream(address, title: title))
    case .keepStream:
      guard let stream = selected ?? Self.stream(of: model.playback) else {
        return [.say("Select or play a stream first")]
      }
      return keep(stream)
    case .rename(let title):
      guard let selected, let row = list.selected else { return [.say("Select a stream first")] }
      if isServed(row) { return [.say(Self.refusal)] }
      let sentence = "\(selected.title ?? selected.address.withoutUserInfo) renamed to \(title)"
      note(.streams(undo: [.rename(selected.address, to: selected.title)], sentence: sentence))
      return [.send(.ask(.streams(.rename(selected.address, to: title)))), .say(sentence)]
    default: return nil
    }
  }

  private mutating func note(_ change: Change) { changes = changes.suffix(99) + [change] }

  private static let refusal = "stations of a server are changed there; save one to rename it"

  private func isServed(_ row: Int) -> Bool { keptCount..<keptCount + servedCount ~= row }

  /// The stream of a row that no server has, and its place in its list.
  private func place(ofRow row: Int) -> StreamEdit.Removed {
    StreamEdit.Removed(
      streams[row], index: row < keptCount ? row : row - keptCount - servedCount, isKept: row < keptCount)
  }

  private mutating func keep(_ stream: StreamList.Stream) -> [ScreenEffect] {
    let address = stream.address.withoutUserInfo
    let row = streams.firstIndex { $0.address == address }
    let isKept = row.map { $0 < keptCount } ?? false
    let sentence = "\(stream.title ?? address) \(isKept ? "is saved already" : "saved in Streams")"
    if !isKept {
      let earlier = row.flatMap { isServed($0) ? nil : StreamEdit.restore([place(ofRow: $0)]) }
      note(.streams(undo: [.remove(address)] + [earlier].compactMap(\.self), sentence: sentence))
    }
    return [.send(.ask(.streams(.keep(stream)))), .say(sentence)]
  }

  private mutating func remove(_ model: ScreenModel) -> [ScreenEffect] {
    let rows = list.chosenRows.sorted().filter { !isServed($0) }
    guard let first = rows.first else { return list.chosenRows.isEmpty ? [] : [.say(Self.refusal)] }
    let removed = rows.map(place)
    note(.streams(undo: [.restore(removed)], sentence: "\(counted(removed.count, "stream")) removed"))
    let subject = rows.count == 1 ? name(ofRow: first, model) : "\(rows.count) streams"
    let key = model.keyMap.label(of: .player(.undo)).map { ": \($0) undoes it" } ?? ""
    return removed.map { .send(.ask(.streams(.remove($0.stream.address)))) } + [.say("\(subject) removed\(key)")]
  }

  // MARK: Drawing

  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    let (start, split) = painter.columnsOfNameAndAddress
    painter.write("Station", row: 0, column: start, columns: split - start - 2, style: .faint)
    painter.write("Address", row: 0, column: split, columns: painter.columns - split - 1, style: .faint)
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let (start, split) = painter.columnsOfNameAndAddress
    let columns = painter.columns
    let end = max(start, split - (columns >= 45 ? 2 : 0))
    let playing: String? = if case .url(let address) = model.playback.entry?.location { address } else { nil }
    let hint = "No stations yet." + Self.howToOpen(model.keyMap)
    drawRows(on: &painter, selection: selection, ifEmpty: hint) { painter, index, selection in
      let stream = streams[index]
      let isPlaying = stream.address == playing
      let style = !isPlaying ? selection : selection == .selected ? .selectedPlaying : .playing
      let address = stream.address.withoutUserInfo
      painter.fill(row: 0, style: style)
      let mark = isPlaying ? ">" : index < keptCount ? "*" : isServed(index) ? "@" : " "
      painter.write(mark, row: 0, column: start - 2, style: style)
      painter.write(linked: stream.title ?? address, row: 0, column: start, columns: end - start, style: style)
      painter.write(linked: address, row: 0, column: split, columns: max(0, columns - split - 1), style: style)
    }
  }

  /// The way to open a station, with the keys that are bound.
  private static func howToOpen(_ keyMap: KeyMap) -> String {
    let key = keyMap.label(of: .prompt("open")) ?? keyMap.label(of: .prompt("")).map { $0 + "open" }
    return key.map { " Press \($0) and paste an address." } ?? ""
  }
}

extension Painter {
  /// The columns of a name and of the address or technical name beside it.
  var columnsOfNameAndAddress: (start: Int, split: Int) {
    let start = columns >= 20 ? 3 : 2
    return (start, columns >= 45 ? start + (columns - start) * 2 / 5 : columns - 1)
  }
}
