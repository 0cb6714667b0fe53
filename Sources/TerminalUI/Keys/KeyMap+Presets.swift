extension KeyMap {
  /// Keys as users of other players know them, as far as there is something here for them.
  public enum Preset: String, Sendable, Hashable, CaseIterable {
    case `default`, cmus, mocp, mpv, ncmpcpp
  }

  /// The keys of a preset: those of the manual, over which the preset lays its own.
  public static func preset(_ preset: Preset) -> KeyMap {
    var map = standard
    for line in preset.bindings.split(separator: "\n") {
      // They are ours, and tested: none is wrong.
      if let action = try? Action.parse(String(line)) { map.apply(action) }
    }
    return map
  }

  /// Binds or unbinds; whether it was that.
  @discardableResult
  mutating func apply(_ action: Action) -> Bool {
    switch action {
    case .bind(let keys, let action): bind(keys, to: action)
    case .unbind(let keys): unbind(keys)
    default: return false
    }
    return true
  }
}

extension KeyMap.Preset {
  /// In the language of key files.
  var bindings: String {
    switch self {
    case .default: ""
    case .cmus:
      """
      bind C toggle
      bind s shuffle
      bind + volume +10
      bind = volume +10
      bind - volume -10
      bind ] volume +1
      bind [ volume -1
      bind D remove
      bind P move-track up
      bind p move-track down
      bind L filter
      bind C-r repeat one
      bind 4 view queue
      bind 5 view files
      bind 7 view help
      bind u redraw
      bind U undo
      """
    case .mocp:
      """
      bind Q quit
      bind q quit
      bind n next
      bind b previous
      bind R repeat
      bind ] seek +5
      bind [ seek -5
      bind Right seek +1
      bind Left seek -1
      bind . volume +1
      bind , volume -1
      bind > volume +5
      bind < volume -5
      bind C clear
      bind u move-track up
      bind j move-track down
      bind U parent
      bind V command save
      bind g search
      bind h view help
      bind l view files
      bind o command open
      bind f filter
      bind z undo
      """
    case .mpv:
      """
      bind Up seek +60
      bind Down seek -60
      bind PgUp chapter next
      bind PgDn chapter previous
      bind 9 volume -2
      bind 0 volume +2
      bind / volume -2
      bind * volume +2
      bind l mark a
      bind L repeat one
      bind C-f search
      bind F8 view queue
      bind F9 view log
      bind i view info
      bind Q quit
      bind S-Backspace back
      """
    case .ncmpcpp:
      """
      bind p toggle
      bind f seek +5
      bind b seek -5
      bind Right volume +2
      bind Left volume -2
      bind z shuffle
      bind c clear
      bind C clear
      bind m move-track up
      bind n move-track down
      bind . search-next
      bind , search-previous
      bind C-f filter
      bind 1 view queue
      bind 2 view files
      bind i view info
      bind o go-playing
      bind S command save
      bind Tab view files
      bind F1 view help
      """
    }
  }
}
