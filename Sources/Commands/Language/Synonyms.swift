/// Other words for commands, by which Help and errors find these; commands do not understand them.
public let commandSynonyms: [String: [String]] = [
  "add": ["append"],
  "alarm": ["wake", "clock"],
  "balance": ["left", "right", "pan"],
  "bind": ["shortcut", "hotkey", "remap", "key"],
  "cd": ["directory", "chdir"],
  "clear": ["empty"],
  "detach": ["background", "daemon"],
  "effect": ["effects", "reverb"],
  "eq": ["equalizer", "equaliser", "bass", "treble"],
  "gain": ["replaygain", "normalize", "normalise", "loudness"],
  "help": ["manual"],
  "keep": ["bookmark"],
  "library": ["collection", "update", "rescan"],
  "load": ["replace"],
  "love": ["favourite", "favorite", "like", "heart"],
  "lyrics-shift": ["lyrics-delay", "delay"],
  "mark": ["loop", "ab"],
  "mute": ["silence", "unmute"],
  "next": ["skip", "forward"],
  "open": ["file", "url"],
  "output": ["device", "sink", "soundcard"],
  "pin": ["unpin", "offline", "download"],
  "play": ["resume", "start", "continue", "goto"],
  "play-next": ["insert", "prio", "priority"],
  "previous": ["last"],
  "quit": ["exit", "close"],
  "rate": ["stars", "rating"],
  "remove": ["delete"],
  "repeat": ["loop", "single"],
  "restart": ["replay", "again"],
  "save": ["write", "export"],
  "search": ["look"],
  "seek": ["rewind", "fast-forward", "position"],
  "set": ["option", "options", "preferences"],
  "shuffle": ["random"],
  "sleep": ["timer"],
  "sort": ["order"],
  "speed": ["tempo"],
  "stop-after": ["finish", "single"],
  "style": ["color", "colour"],
  "toggle": ["playpause", "elapsed", "spectrum"],
  "view": ["tab"],
  "volume": ["louder", "quieter"],
]

/// The commands that a person who wrote another word probably meant.
public func commandMeant(by word: String, among names: [String]) -> String? {
  let word = word.lowercased()
  let others = names.filter { commandSynonyms[$0]?.contains(word) == true }
  return others.isEmpty ? nearest(to: word, among: names) : listed(others)
}
