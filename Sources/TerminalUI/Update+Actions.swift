internal import ByteIO
internal import Library
internal import Playback

extension ScreenState {
  /// Does what is asked for, or says why not.
  mutating func handle(_ action: Action) -> [Command] {
    switch action {
    case .play: return [.resume]
    case .togglePause: return [.togglePause]
    case .pause: return [.pause]
    case .playFromStart: return [.playFromStart]
    case .stop: return [.stop]
    case .next: return [.next]
    case .previous: return [.previous]
    case .toggleStopAfterCurrent: return [.toggleStopAfterCurrent]
    case .volume(let percent): return [.changeVolume(by: Double(percent) / 100)]
    case .setVolume(let percent): return [.setVolume(Double(percent) / 100)]
    case .changeSound(let change):
      configuration.apply(change)
      return [.changeSound(change)]
    case .tell(let setting):
      say(configuration.settings.sentence(on: setting))
      return []
    case .toggleMute: return [.toggleMute]
    case .toggleShuffle: return [.toggleShuffle]
    case .cycleRepeat: return [.cycleRepeat]
    case .toggleRepeatOne: return [.setRepeat(queue.modes.repetition == .one ? .off : .one)]
    case .setShuffle(let isOn): return [.setShuffle(isOn)]
    case .setRepeat(let mode): return [.setRepeat(mode)]
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .quit: return [.quit(savesSession: true)]
    case .quitWithoutSaving: return [.quit(savesSession: false)]
    case .seek, .seekTo, .seekToPercent, .chapter, .undoSeek, .goLive, .mark, .switchFocus:
      return handleSeeking(action)
    case .add, .open, .remove, .clear, .undo, .redo, .moveTrack, .save, .load: return handleOnQueue(action)
    case .keepStream, .rename: return handleOnStreams(action)
    case .set, .bind, .unbind, .style: return change(action)
    default: return handleOnLists(action)
    }
  }

  /// Changes a setting, a key or a look, for this time: files are for good.
  private mutating func change(_ action: Action) -> [Command] {
    var new = configuration
    if let refusal = new.apply(action) {
      say(refusal)
      return []
    }
    configure(new)
    if case .set(let setting, _) = action, Setting.ofSound.contains(setting) {
      say(action.effect)
    } else {
      let change = ["\(action.effect) (this session)", keeping(in: action.isOfKeys ? "keys" : "config")]
      say(change.compactMap(\.self).joined(separator: ". "))
    }
    return [.configure(new)]
  }

  // MARK: The queue

  private mutating func handleOnQueue(_ action: Action) -> [Command] {
    switch action {
    case .add(let names, let placement): return add(names, placement)
    case .open(let names): return names.isEmpty ? playSelected() : [.find(names, .now, in: files.folder)]
    case .load(let name): return [.find([name], .whole, in: files.folder)]
    case .save(let name, let replacesOther): return save(name, replacesOther: replacesOther)
    case .clear: return [.edit(.clear)]
    case .undo: return [.undo]
    case .redo: return [.redo]
    case .remove where shownView == .streams: return removeStream()
    case .remove: return selectedOfQueue().map { [.edit(.remove($0))] } ?? []
    case .moveTrack(let rows): return selectedOfQueue().map { [.edit(.move($0, by: rows))] } ?? []
    default: return []
    }
  }

  private mutating func save(_ name: String, replacesOther: Bool) -> [Command] {
    guard !queue.entries.isEmpty else {
      say("The queue is empty: nothing to save")
      return []
    }
    return [.save(BytePath(name), replacesOther: replacesOther, in: files.folder)]
  }

  private mutating func selectedOfQueue() -> QueueEntry.ID? {
    if shownView == .queue, let entry = queue.selectedEntry { return entry.id }
    say("Select a track in the queue first")
    return nil
  }

  private mutating func add(_ names: WrittenNames, _ placement: PlayQueue.Placement) -> [Command] {
    if !names.isEmpty { return [.find(names, .turn(placement), in: files.folder)] }
    if shownView == .files, let item = files.selectedItem, item.kind != .parent {
      files.list.move(.rows(1))
      return [.collect([item.path], .turn(placement))]
    }
    if shownView == .streams, let stream = streams.selectedStream {
      return [.collect([BytePath(stream.address)], .turn(placement))]
    }
    if shownView == .queue, let entry = queue.selectedEntry {
      return [.edit(placement == .end ? .add([entry.location], .end) : .reschedule(entry.id, placement))]
    }
    say("Nothing playable selected")
    return []
  }

  // MARK: Lists and views

  private mutating func handleOnLists(_ action: Action) -> [Command] {
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

  mutating func show(_ view: ScreenView) -> [Command] {
    shownView = view
    // It may have changed since it was read.
    return switch view {
    case .files: [.listFolder(files.folder ?? BytePath(configuration.settings.music))]
    case .streams: [.editStreams(nil)]
    default: []
    }
  }

  mutating func playSelected() -> [Command] {
    switch shownView {
    case .queue: return queue.selectedEntry.map { [.play($0.id)] } ?? []
    case .files:
      guard let item = files.selectedItem else { return [] }
      return item.kind == .parent || item.kind == .folder ? [.listFolder(item.path)] : [.collect([item.path], .now)]
    case .streams: return streams.selectedStream.map { [.collect([BytePath($0.address)], .now)] } ?? []
    case .info: return info.selectedRow?.seconds.map { seek(to: $0) } ?? []
    case .log, .help: return []
    }
  }

  private mutating func changeFolder(_ name: String) -> [Command] {
    shownView = .files
    let path = BytePath(name)
    let isRelative = !path.isAbsolute && name.first != "~"
    return [.listFolder(isRelative ? (files.folder ?? BytePath(".")).appending(path) : path)]
  }

  mutating func openParent() -> [Command] {
    shownView = .files
    return files.parent.map { [.listFolder($0)] } ?? show(.files)
  }
}
