internal import Cells

extension KeyMap {
  /// Key presets in the style of other players, for the actions that exist here.
  public enum Preset: String, Sendable, Hashable, CaseIterable {
    /// The keys of this program, or of another player.
    case `default`, cmus, mocp, mpv, ncmpcpp
  }

  /// The keys of a preset: the default keys, changed by those of the preset.
  public static func preset(_ preset: Preset) -> KeyMap {
    var map = standard
    var own: Set<KeySequence> = []
    for line in preset.bindings.split(separator: "\n") {
      // A test reads each line.
      guard let action = try? Action.parse(String(line)) else { continue }
      map.apply(action)
      if case .bind(let keys, _) = action { own.insert(keys) }
    }
    map.putFirst(own)
    return map
  }

  /// Binds or unbinds. Returns false for any other action.
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
  /// The presets in the language of key files, after the documented defaults: cmus's `data/rc`, MOC's `keymap.example`,
  /// mpv's `etc/input.conf`, ncmpcpp's `doc/bindings`. Views that a program lacks have keys that are free there.
  var bindings: String {
    switch self {
    case .default: ""
    case .cmus: Self.cmusBindings
    case .mocp: Self.mocpBindings
    case .mpv: Self.mpvBindings
    case .ncmpcpp: Self.ncmpcppBindings
    }
  }

  private static let cmusBindings = """
    bind c toggle
    bind C stop-after
    bind m stop-after album
    bind s shuffle
    bind + volume +10
    bind = volume +10
    bind - volume -10
    bind [ volume +1
    bind ] volume +1
    bind { volume -1
    bind } volume -1
    bind D remove
    bind M-d remove album
    bind P move-track up
    bind p move-track down
    bind L filter
    bind F filter
    bind C-r repeat toggle-one
    bind 1 view library
    bind 4 view queue
    bind 5 view files
    bind 3 view streams
    bind 8 view log
    bind I view info
    bind 9 view lyrics
    bind 6 view cover
    bind 7 view help
    bind Space mark-row
    bind y command playlist add
    bind u library scan
    bind U undo
    """

  private static let mocpBindings = """
    bind q quit
    bind Q quit
    bind n next
    bind b previous
    bind R repeat
    bind Right seek +1
    bind Left seek -1
    bind ] seek +5
    bind [ seek -5
    bind > volume +1
    bind < volume -1
    bind . volume +5
    bind , volume -5
    bind M-1 volume 10
    bind M-2 volume 20
    bind M-3 volume 30
    bind M-4 volume 40
    bind M-5 volume 50
    bind M-6 volume 60
    bind M-7 volume 70
    bind M-8 volume 80
    bind M-9 volume 90
    bind A add
    bind C clear
    bind u move-track up
    bind j move-track down
    bind U cd ..
    bind i command cd
    bind V command save
    bind C-v mark-row range
    bind M-a mark-row album
    bind o command open
    bind C-u command add
    bind g search
    bind C-g search-next
    bind C-n search-next
    bind G go-playing
    bind Tab view files
    bind l focus
    bind h view help
    bind C-x cancel
    bind C-r redraw
    bind z undo
    bind Z redo
    """

  private static let mpvBindings = """
    bind Up seek +60
    bind Down seek -60
    bind S-Up seek +5
    bind S-Down seek -5
    bind S-PgUp seek +600
    bind S-PgDn seek -600
    bind PgUp chapter next
    bind PgDn chapter previous
    bind @ chapter next
    bind ! chapter previous
    bind [ speed /1.1
    bind ] speed *1.1
    bind { speed /2
    bind } speed *2
    bind Backspace speed 1
    bind S-Backspace back
    bind 9 volume -2
    bind 0 volume +2
    bind / volume -2
    bind * volume +2
    bind l mark cycle
    bind L repeat toggle-one
    bind C-f search
    bind ` command
    bind F8 view queue
    bind i view info
    bind I view info
    bind F9 view info
    bind Q quit
    """

  private static let ncmpcppBindings = """
    bind p toggle
    bind Space add
    bind f seek +5
    bind b seek -5
    bind g command seek
    bind Right volume +2
    bind Left volume -2
    bind + volume +2
    bind = volume +2
    bind - volume -2
    bind z shuffle
    bind y repeat toggle-one
    bind c clear
    bind m move-track up
    bind n move-track down
    bind . search-next
    bind , search-previous
    bind C-f filter
    bind 1 view queue
    bind 2 view files
    bind 4 view library
    bind 9 view streams
    bind i view info
    bind o go-playing
    bind A command add
    bind S command save
    bind Ins mark-row
    bind C-v mark-row range
    bind B mark-row album
    bind V mark-row none
    bind Tab view files
    bind F1 view help
    unbind u
    bind U undo
    """
}
