internal import AudioModel
internal import Glibc

/// The devices for playback that the kernel lists in /proc/asound.
struct SoundCards: Equatable {
  struct Device: Equatable {
    var card: Int32
    /// ALSA's name: `hw:CARD=PCH,DEV=0`.
    var name: String
    /// The names of the card and of the device.
    var description: String
  }

  private(set) var devices: [Device] = []
  /// The number of each card by its name.
  private var numbers: [String: Int32] = [:]

  /// The cards of this machine.
  static func present(in folder: String = "/proc/asound") -> SoundCards {
    SoundCards(cards: text(of: folder + "/cards"), devices: text(of: folder + "/pcm"))
  }

  /// - Parameters:
  ///   - cards: Lines like ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`, each followed by an indented one.
  ///   - devices: Lines like `00-03: HDMI 0 : HDMI 0 : playback 1`.
  init(cards: String, devices: String) {
    var names: [Int32: (id: String, words: String)] = [:]
    for line in cards.split(separator: "\n") {
      let parts = line.split(separator: "[", maxSplits: 1)
      guard parts.count == 2, let number = Int32(parts[0].trimmed), let end = parts[1].firstIndex(of: "]") else {
        continue
      }
      let id = String(parts[1][..<end].trimmed)
      let words = parts[1][end...].firstRange(of: " - ").map { String(parts[1][$0.upperBound...].trimmed) }
      names[number] = (id, words ?? id)
      numbers[id] = number
    }
    for line in devices.split(separator: "\n") {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false).map { String($0.trimmed) }
      let place = parts[0].split(separator: "-").compactMap { Int32($0) }
      guard place.count == 2, parts.count > 2, let card = names[place[0]] else { continue }
      guard parts.contains(where: { $0.hasPrefix("playback") }) else { continue }
      self.devices.append(
        Device(
          card: place[0], name: "hw:CARD=\(card.id),DEV=\(place[1])", description: "\(card.words), \(parts[1])"))
    }
  }

  /// The number of the card in a name like `plughw:CARD=PCH,DEV=0` or `hw:1,0`.
  func card(ofDevice name: String) -> Int32? {
    guard let colon = name.firstIndex(of: ":") else { return nil }
    let first = name[name.index(after: colon)...].prefix { $0 != "," }
    let card = first.hasPrefix("CARD=") ? first.dropFirst(5) : first
    return Int32(card) ?? numbers[String(card)]
  }

  private static func text(of path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { bytes, count in
      while count < bytes.count, let rest = bytes.baseAddress.map({ $0 + count }),
        case let got = read(file, rest, bytes.count - count), got > 0
      {
        count += got
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
