internal import Playback

extension ScreenState {
  mutating func handle(_ key: Key) -> [Command] {
    notice = nil
    if focus == .slider, key.modifiers.isEmpty, case .character(let character) = key.symbol,
      let digit = character.wholeNumberValue, character.isASCII
    {
      return moveGhost(toFraction: Double(digit) / 10)
    }
    guard let action = keyMap[key] else {
      reportUnbound(key)
      return []
    }
    return focus == .slider ? handleOnSlider(action) : handle(action)
  }

  private mutating func reportUnbound(_ key: Key) {
    guard reportedKeys.count < 256, reportedKeys.insert(key).inserted else { return }
    say("\(key) is not bound" + (keyMap.label(of: .show(.help)).map { ": \($0) lists the keys" } ?? ""))
  }

  /// The movement keys move the ghost of the thumb; all others do what they always do.
  private mutating func handleOnSlider(_ action: Action) -> [Command] {
    switch action {
    case .seek(let seconds): return moveGhost(by: seconds)
    case .move(.rows(let rows)): return moveGhost(by: rows < 0 ? 5 : -5)
    case .move(.pages(let pages)), .move(.halfPages(let pages)):
      return moveGhost(by: (playback.usableDuration ?? 0) * (pages < 0 ? 0.1 : -0.1))
    case .move(.first): return moveGhost(toFraction: 0)
    case .move(.last): return moveGhost(toFraction: 1)
    case .playSelected: return commitGhost()
    case .cancel:
      if ghost == nil { focus = .list }
      ghost = nil
      return []
    default: return handle(action)
    }
  }

  private mutating func handle(_ action: Action) -> [Command] {
    switch action {
    case .togglePause: return [.togglePause]
    case .pause: return [.pause]
    case .playFromStart: return [.playFromStart]
    case .stop: return [.stop]
    case .next: return [.next]
    case .previous: return [.previous]
    case .seek(let seconds): return seek(by: seconds)
    case .undoSeek: return undoSeek()
    case .volume(let percent): return [.changeVolume(by: Double(percent) / 100)]
    case .toggleMute: return [.toggleMute]
    case .toggleShuffle: return [.toggleShuffle]
    case .cycleRepeat: return [.cycleRepeat]
    case .playSelected: return playSelected()
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .quit: return [.quit(savesSession: true)]
    case .quitWithoutSaving: return [.quit(savesSession: false)]
    case .switchFocus:
      focus = focus == .list ? .slider : .list
      return commitGhost()
    case .move(let motion): listPosition.move(motion, count: rowCount, height: layout.list.count)
    case .selectPlaying:
      shownView = .queue
      if let playingIndex { select(playingIndex) }
    case .toggleRemaining: showsRemaining.toggle()
    case .show(let view): shownView = shownView == view ? .queue : view
    case .cancel: if ghost != nil { ghost = nil } else { shownView = .queue }
    }
    return []
  }

  private func playSelected() -> [Command] {
    guard shownView == .queue, entries.indices.contains(queuePosition.selected) else { return [] }
    return [.play(entries[queuePosition.selected].id)]
  }
}
