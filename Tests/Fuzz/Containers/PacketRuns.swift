import AudioModel

/// Packets, alike ones that follow each other joined: how runs are cut depends on how the input is.
struct PacketRuns: Equatable {
  private var runs: [PacketDescription] = []
  private(set) var packetCount = 0

  /// Enough to see a difference; damaged tables may name millions.
  private static let maximumCount = 4096

  /// True if more makes no difference.
  var isFull: Bool { runs.count > Self.maximumCount }

  mutating func append(_ packet: PacketDescription) {
    guard !isFull else { return }
    packetCount += packet.packetCount
    if let last = runs.last, last.byteOffset + Int64(last.byteCount) == packet.byteOffset,
      last.byteCount / last.packetCount == packet.byteCount / packet.packetCount,
      last.frameCount / last.packetCount == packet.frameCount / packet.packetCount
    {
      runs[runs.count - 1].byteCount += packet.byteCount
      runs[runs.count - 1].frameCount += packet.frameCount
      runs[runs.count - 1].packetCount += packet.packetCount
    } else {
      runs.append(packet)
    }
  }

  /// The last run of those that are full may still grow.
  static func == (one: PacketRuns, other: PacketRuns) -> Bool {
    one.runs.prefix(maximumCount) == other.runs.prefix(maximumCount)
  }

  /// The first runs that differ, for messages.
  func difference(from other: PacketRuns) -> String {
    let most = max(runs.count, other.runs.count)
    guard let index = (0..<most).first(where: { runs.dropFirst($0).first != other.runs.dropFirst($0).first }) else {
      return "no difference"
    }
    let (one, another) = (runs.dropFirst(index).first, other.runs.dropFirst(index).first)
    return "run \(index) is \(one, default: "missing") or \(another, default: "missing")"
  }
}
