internal import ByteIO
internal import Library
internal import Playback
internal import TerminalUI

/// Where the listener was, but for the list of the queue, which is a playlist of its own.
struct SessionRecord: Equatable {
  var state = PlaybackState.stopped
  /// Place of the current entry in the queue.
  var current: Int?
  /// The current entry, as it stands in the playlist: should that be another by now, it is looked for.
  var track: [UInt8] = []
  /// Seconds into the track.
  var position = 0.0
  var volume = 1.0
  var isMuted = false
  var isShuffled = false
  var repeatMode = PlayQueue.RepeatMode.off
  /// What was changed of the sound by hand.
  var changes: [SettingChange] = []
  var view = ScreenView.queue
  /// The selected row of the queue.
  var selected = 0

  init() {}

  private static let head = "segue session 1"
  private static let foot = "end"

  /// The file: a line each.
  var bytes: [UInt8] {
    let lines =
      [
        Self.head, "state \(state.word)", "current \(current.map(String.init) ?? "none")", "position \(position)",
        "volume \(volume)", "muted \(isMuted ? "on" : "off")", "shuffle \(isShuffled ? "on" : "off")",
        "repeat \(repeatMode.word)", "view \(view.rawValue)", "selected \(selected)",
      ] + changes.map { "changed \($0.setting.rawValue) \($0.value) \($0.base)" }
    return Array((lines.joined(separator: "\n") + "\n").utf8) + Array("track ".utf8) + track
      + Array("\n\(Self.foot)\n".utf8)
  }

  /// From the file; `nil` if that is damaged or no session. What a later program may have added is passed over.
  init?(_ bytes: [UInt8]) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard lines.first?.elementsEqual(Self.head.utf8) == true, lines.popLast()?.elementsEqual(Self.foot.utf8) == true
    else { return nil }
    for line in lines.dropFirst() {
      let name = line.prefix { $0 != UInt8(ascii: " ") }
      let value = line.dropFirst(name.count + 1)
      if name.elementsEqual("track".utf8) { track = Array(value) }
      guard set(String(decoding: name, as: UTF8.self), to: String(decoding: value, as: UTF8.self)) else { return nil }
    }
  }

  /// Whether it can be that.
  private mutating func set(_ name: String, to value: String) -> Bool {
    func take<Value>(_ field: inout Value, _ new: Value?) -> Bool {
      if let new { field = new }
      return new != nil
    }
    let isOn = ["on": true, "off": false][value]
    switch name {
    case "state": return take(&state, [.stopped, .playing, .waiting, .paused].first { $0.word == value })
    case "current":
      current = Int(value).flatMap { $0 >= 0 ? $0 : nil }
      return current != nil || value == "none"
    case "position": return take(&position, Double(value).flatMap { 0..<1e9 ~= $0 ? $0 : nil })
    case "volume": return take(&volume, Double(value).flatMap { 0...1 ~= $0 ? $0 : nil })
    case "muted": return take(&isMuted, isOn)
    case "shuffle": return take(&isShuffled, isOn)
    case "repeat": return take(&repeatMode, PlayQueue.RepeatMode.allCases.first { $0.word == value })
    case "changed":
      let words = value.split(separator: " ").map(String.init)
      guard words.count == 3 else { return false }
      // A later program may have more settings.
      if let setting = Setting(rawValue: words[0]) { changes.append(SettingChange(setting, words[1], from: words[2])) }
      return true
    case "view": return take(&view, ScreenView(rawValue: value))
    case "selected": return take(&selected, Int(value).flatMap { $0 >= 0 ? $0 : nil })
    default: return true
    }
  }

  /// Whether nothing else is different.
  func differsInPositionOnly(from other: SessionRecord) -> Bool {
    var moved = self
    moved.position = other.position
    return moved == other
  }

  /// Where the current entry is in these.
  func place(in locations: [MediaLocation]) -> Int? {
    let isTrack = { (index: Int) in PlaylistWriter.line(for: locations[index]) == track }
    if let current, locations.indices.contains(current), isTrack(current) { return current }
    return track.isEmpty ? nil : locations.indices.first(where: isTrack)
  }
}
