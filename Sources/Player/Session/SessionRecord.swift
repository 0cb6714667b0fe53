public import ByteIO
public import Commands
internal import Library
public import Playback

/// A saved session, without the entries of the queue, which are a playlist of their own.
public struct SessionRecord: Sendable, Hashable {
  public var state = PlaybackState.stopped
  /// Index of the current entry in the queue.
  public var current: Int?
  /// The line of the current entry in the playlist, to find it if the playlist has changed.
  public var track: [UInt8] = []
  /// Seconds into the track.
  public var position = 0.0
  /// 0...1.
  public var volume = 1.0
  /// The volume on each device, the present one last.
  public var deviceVolumes: [DeviceVolumes.Entry] = []
  public var isMuted = false
  public var isShuffled = false
  /// The number of entries before the cursor in the order of playing.
  public var turn = 0
  /// The seed of the next random orders; sessions of earlier versions have none.
  public var seed: UInt64?
  public var repeatMode = PlayQueue.RepeatMode.off
  /// Sessions of earlier versions have none.
  public var consumption = PlayQueue.Consumption.off
  public var changes: [SettingChange] = []
  /// The speed of an album or a book, which need not play now. Sessions of earlier versions have none.
  public var albumSpeed: SavedSpeed?
  public var place = FacePlace()

  /// A speed that was set by hand, and the line of a track of its album in a playlist.
  public struct SavedSpeed: Sendable, Hashable {
    public var change: SettingChange
    public var track: [UInt8]
  }

  public init() {}

  private static let head = "segue session 1"
  private static let foot = "end"

  /// The file: one line per field.
  public var bytes: [UInt8] {
    let lines =
      [
        Self.head, "state \(state.word)", "current \(current.map(String.init) ?? "none")", "position \(position)",
        "volume \(volume)", "muted \(isMuted ? "on" : "off")", "shuffle \(isShuffled ? "on" : "off")",
        "repeat \(repeatMode.word)", "turn \(turn)", "view \(place.view)", "selected \(place.row)",
      ] + [seed.map { "seed \($0)" }, consumption == .off ? nil : "consume \(consumption.word)"].compactMap(\.self)
      + deviceVolumes.compactMap { Self.line("device-volume", ["\($0.volume)", $0.device]) }
      + changes.compactMap { Self.line("changed", [$0.setting.rawValue, $0.value, $0.base]) }
      + [place.files.flatMap(Self.line)].compactMap(\.self)
      + place.changes.compactMap { Self.line("changed-screen", [$0.line, $0.base]) }
    let speed = albumSpeed.map { Array("album-speed \($0.change.value) \($0.change.base) ".utf8) + $0.track + [0x0a] }
    return Array((lines.joined(separator: "\n") + "\n").utf8) + (speed ?? []) + Array("track ".utf8) + track
      + Array("\n\(Self.foot)\n".utf8)
  }

  /// Reads the file; `nil` if it is damaged or no session. Fields of later versions are ignored.
  public init?(_ bytes: [UInt8]) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard lines.first?.elementsEqual(Self.head.utf8) == true, lines.popLast()?.elementsEqual(Self.foot.utf8) == true
    else { return nil }
    for line in lines.dropFirst() {
      let name = line.prefix { $0 != UInt8(ascii: " ") }
      let value = line.dropFirst(name.count + 1)
      if name.elementsEqual("track".utf8) { track = Array(value) }
      if name.elementsEqual("album-speed".utf8) { albumSpeed = SavedSpeed(value) }
      guard set(String(decoding: name, as: UTF8.self), to: String(decoding: value, as: UTF8.self)) else { return nil }
    }
  }

  /// Sets a field; false if the value is not possible.
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
    case "device-volume":
      guard let words = Self.words(of: value), words.count == 2, let volume = Double(words[0]), 0...1 ~= volume else {
        return false
      }
      deviceVolumes.append(DeviceVolumes.Entry(words[1], volume))
      return true
    case "muted": return take(&isMuted, isOn)
    case "shuffle": return take(&isShuffled, isOn)
    case "turn": return take(&turn, Int(value).flatMap { $0 >= 0 ? $0 : nil })
    case "seed":
      seed = UInt64(value)
      return seed != nil
    case "repeat": return take(&repeatMode, PlayQueue.RepeatMode.allCases.first { $0.word == value })
    case "consume": return take(&consumption, PlayQueue.Consumption.allCases.first { $0.word == value })
    case "changed":
      guard let words = Self.words(of: value), words.count == 3 else { return false }
      // Later versions may have more settings.
      if let setting = Setting(rawValue: words[0]) { changes.append(SettingChange(setting, words[1], from: words[2])) }
      return true
    case "changed-screen":
      guard let words = Self.words(of: value), words.count == 2 else { return false }
      place.changes.append(FacePlace.Change(words[0], from: words[1]))
      return true
    case "view":
      // A name that the face does not know is no damage: the face shows its first view.
      place.view = value
      return !value.isEmpty
    case "files":
      guard let words = Self.words(of: value), words.count == 2, !words[0].isEmpty else { return false }
      place.files = FacePlace.Files(
        folder: BytePath(words[0]), item: words[1].isEmpty ? nil : BytePath(words[1]))
      return true
    case "selected": return take(&place.row, Int(value).flatMap { $0 >= 0 ? $0 : nil })
    default: return true
    }
  }

  /// A field of several words; `nil` if they would not be read back, and damage the file.
  private static func line(_ field: String, _ words: [String]) -> String? {
    let text = words.map(quoted).joined(separator: " ")
    return text.contains(where: \.isNewline) || self.words(of: text) != words ? nil : "\(field) \(text)"
  }

  /// The field for a folder; `nil` for names that are no text.
  private static func line(_ files: FacePlace.Files) -> String? {
    let paths = [files.folder, files.item ?? BytePath("")]
    return paths.allSatisfy { BytePath($0.description) == $0 } ? line("files", paths.map(\.description)) : nil
  }

  private static func words(of text: String) -> [String]? {
    var scanner = CommandScanner(text)
    return try? scanner.words()
  }

  func differsInPositionOnly(from other: SessionRecord) -> Bool {
    var moved = self
    moved.position = other.position
    return moved == other
  }

  /// The index of the current entry among these.
  public func place(in locations: [MediaLocation]) -> Int? {
    let isTrack = { (index: Int) in PlaylistWriter.line(for: locations[index]) == track }
    if let current, locations.indices.contains(current), isTrack(current) { return current }
    return track.isEmpty ? nil : locations.indices.first(where: isTrack)
  }
}

extension SessionRecord.SavedSpeed {
  /// Reads the value of its field: two numbers and a line.
  fileprivate init?(_ value: ArraySlice<UInt8>) {
    let words = value.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count == 3 else { return nil }
    let numbers = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
    guard numbers.allSatisfy({ Double($0).map { 0.5...2 ~= $0 } == true }) else { return nil }
    self.init(change: SettingChange(.speed, numbers[0], from: numbers[1]), track: Array(words[2]))
  }
}
