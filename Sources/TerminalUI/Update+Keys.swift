internal import Playback
internal import Player

extension ScreenState {
  /// How long the rest of a sequence of keys is waited for, where its beginning has a meaning of its own.
  private static let sequenceTime: UInt64 = 800_000_000

  mutating func handle(_ key: Key) -> [ScreenCommand] {
    if prompt != nil { return handleInPrompt(key) }
    notice = nil
    if focus == .slider, pendingKeys == nil, key.modifiers.isEmpty, case .character(let character) = key.symbol,
      let digit = character.wholeNumberValue, character.isASCII
    {
      return moveGhost(toFraction: Double(digit) / 10)
    }
    let keys = (pendingKeys?.keys ?? []) + [key]
    switch keyMap.match(keys) {
    case .action(let action, mayGoOn: false):
      pendingKeys = nil
      return obey(action)
    case .action(_, mayGoOn: true), .beginning:
      pendingKeys = (keys, now + Self.sequenceTime)
      return []
    case .nothing: return endSequence(keys)
    }
  }

  /// No more keys come, or none that fit: what was pressed before counts by itself.
  mutating func endSequence(_ keys: [Key]) -> [ScreenCommand] {
    pendingKeys = nil
    // The longest beginning that means something, and what is left behind it.
    for count in (1...keys.count).reversed() {
      guard case .action(let action, _) = keyMap.match(Array(keys.prefix(count))) else { continue }
      return obey(action) + keys.dropFirst(count).flatMap { handle($0) }
    }
    reportUnbound(keys)
    return []
  }

  private mutating func reportUnbound(_ keys: [Key]) {
    guard reportedKeys.count < 256, reportedKeys.insert(keys).inserted, let keys = KeySequence(keys) else { return }
    say("\(keys) is not bound" + (keyMap.label(of: .show(.help)).map { ": \($0) lists the keys" } ?? ""))
  }

  private mutating func obey(_ action: Action) -> [ScreenCommand] {
    focus == .slider ? handleOnSlider(action) : handle(action)
  }

  /// The movement keys move the ghost of the thumb; all others do what they always do.
  private mutating func handleOnSlider(_ action: Action) -> [ScreenCommand] {
    switch action {
    case .player(.playback(.seekBy(let seconds))): return moveGhost(by: seconds)
    case .move(.rows(let rows)): return moveGhost(by: rows < 0 ? 5 : -5)
    case .move(.pages(let pages)), .move(.halfPages(let pages)):
      return moveGhost(by: (place(atFraction: 1) - place(atFraction: 0)) * (pages < 0 ? 0.1 : -0.1))
    case .move(.first): return moveGhost(toFraction: 0)
    case .move(.last): return moveGhost(toFraction: 1)
    case .playSelected: return commitGhost()
    case .cancel:
      if slider.ghost == nil { focus = .list }
      slider.ghost = nil
      return []
    default: return handle(action)
    }
  }
}
