internal import ByteIO
internal import Library
internal import Playback
internal import Player

extension ScreenState {
  /// Does what is asked for, or says why not.
  mutating func handle(_ action: Action) -> [ScreenCommand] {
    switch action {
    case .player(let command): return complete(command)
    case .tell(let setting):
      say(configuration.settings.sentence(on: setting))
      return []
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .undoSeek, .mark, .switchFocus: return handleSeeking(action)
    case .remove, .moveTrack: return handleOnQueue(action)
    case .keepStream, .rename: return handleOnStreams(action)
    case .set, .bind, .unbind, .style: return change(action)
    default: return handleOnLists(action)
    }
  }

  /// Completes a request to the player with what is shown: the folder, the selection, the place of a seek.
  private mutating func complete(_ command: Command) -> [ScreenCommand] {
    switch command {
    case .playback(.seek), .playback(.seekBy), .seekToPercent, .seekChapter, .goLive: return showSeek(command)
    case .find(let names, .now, in: nil) where names.isEmpty: return playSelected()
    case .find(let names, .turn(let placement), in: nil) where names.isEmpty: return addSelected(placement)
    case .find(let names, let destination, in: nil): return [.player(.find(names, destination, in: files.folder))]
    case .save(let name, let replacesOther, in: nil): return save(name, replacesOther: replacesOther)
    case .set(let setting, let value):
      sayChanged("\(setting.rawValue) is now \(value.isEmpty ? "empty" : value)", isKept: Setting.ofSound.contains(setting))
      return [.player(command)]
    default: return [.player(command)]
    }
  }

  /// Changes a setting, a key or a look, for this time: files are for good.
  private mutating func change(_ action: Action) -> [ScreenCommand] {
    var new = configuration
    if let refusal = new.apply(action) {
      say(refusal)
      return []
    }
    configure(new)
    sayChanged(action.effect, file: action.isOfKeys ? "keys" : "config")
    return [.configure(new)]
  }

  /// Says a change, and the file that makes it last unless it lasts anyway.
  private mutating func sayChanged(_ effect: String, isKept: Bool = false, file: String = "config") {
    say(isKept ? effect : ["\(effect) (this session)", keeping(in: file)].compactMap(\.self).joined(separator: ". "))
  }

  // MARK: The queue

  private mutating func handleOnQueue(_ action: Action) -> [ScreenCommand] {
    switch action {
    case .remove where shownView == .streams: return removeStream()
    case .remove: return selectedOfQueue().map { [.player(.edit(.remove($0)))] } ?? []
    case .moveTrack(let rows): return selectedOfQueue().map { [.player(.edit(.move($0, by: rows)))] } ?? []
    default: return []
    }
  }

  private mutating func save(_ name: BytePath, replacesOther: Bool) -> [ScreenCommand] {
    guard !queue.entries.isEmpty else {
      say("The queue is empty: nothing to save")
      return []
    }
    return [.player(.save(name, replacesOther: replacesOther, in: files.folder))]
  }

  private mutating func selectedOfQueue() -> QueueEntry.ID? {
    if shownView == .queue, let entry = queue.selectedEntry { return entry.id }
    say("Select a track in the queue first")
    return nil
  }

  private mutating func addSelected(_ placement: PlayQueue.Placement) -> [ScreenCommand] {
    if shownView == .files, let item = files.selectedItem, item.kind != .parent {
      files.list.move(.rows(1))
      return [.player(.collect([item.path], .turn(placement)))]
    }
    if shownView == .streams, let stream = streams.selectedStream {
      return [.player(.collect([BytePath(stream.address)], .turn(placement)))]
    }
    if shownView == .queue, let entry = queue.selectedEntry {
      return [.player(.edit(placement == .end ? .add([entry.location], .end) : .reschedule(entry.id, placement)))]
    }
    say("Nothing playable selected")
    return []
  }

  // MARK: Lists and views

  private mutating func handleOnLists(_ action: Action) -> [ScreenCommand] {
    switch action {
    case .move(let motion): shownList.move(motion)
    case .playSelected: return playSelected()
    case .selectPlaying:
      shownView = .queue
      if let row = queue.playingIndex { queue.list.select(row) }
    case .search(let text): return text.map { search($0) } ?? open(.search)
    case .filter(nil): return open(.filter, text: shownList.filterText)
    case .filter(let text?): setFilter(text)
    case .searchNext: return searchOn(isForward: true)
    case .searchPrevious: return searchOn(isForward: false)
    case .prompt(let text): return open(.command, text: text.isEmpty ? "" : text + " ")
    case .changeFolder(let name): return changeFolder(name)
    case .parentFolder: return openParent()
    case .toggleRemaining: showsRemaining.toggle()
    case .show(let view): return show(shownView == view ? .queue : view)
    case .cancel:
      if slider.ghost != nil {
        slider.ghost = nil
      } else if !shownList.filterText.isEmpty {
        setFilter("")
      } else {
        shownView = .queue
      }
    default: break
    }
    return []
  }

  mutating func show(_ view: ScreenView) -> [ScreenCommand] {
    shownView = view
    // It may have changed since it was read.
    return switch view {
    case .files: [.player(.listFolder(files.folder ?? BytePath(configuration.player.music)))]
    case .streams: [.player(.editStreams(nil))]
    default: []
    }
  }

  mutating func playSelected() -> [ScreenCommand] {
    switch shownView {
    case .queue: return queue.selectedEntry.map { [.player(.play($0.id))] } ?? []
    case .files:
      guard let item = files.selectedItem else { return [] }
      let isFolder = item.kind == .parent || item.kind == .folder
      return [.player(isFolder ? .listFolder(item.path) : .collect([item.path], .now))]
    case .streams: return streams.selectedStream.map { [.player(.collect([BytePath($0.address)], .now))] } ?? []
    case .info: return info.selectedRow?.seconds.map { seek(to: $0) } ?? []
    case .log, .help: return []
    }
  }

  private mutating func changeFolder(_ name: String) -> [ScreenCommand] {
    shownView = .files
    let path = BytePath(name)
    let isRelative = !path.isAbsolute && name.first != "~"
    return [.player(.listFolder(isRelative ? (files.folder ?? BytePath(".")).appending(path) : path))]
  }

  mutating func openParent() -> [ScreenCommand] {
    shownView = .files
    return files.parent.map { [.player(.listFolder($0))] } ?? show(.files)
  }
}
