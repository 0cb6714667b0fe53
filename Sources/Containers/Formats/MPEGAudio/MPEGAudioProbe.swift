/// Recognizes MPEG audio, and finds its first packet.
enum MPEGAudioProbe {
  /// Looks for packets, at the very start or, if `isSearching`, after it.
  static func probe(_ bytes: RawSpan, isLast: Bool, isSearching: Bool) -> ContainerFormat.Match {
    let match = SyncProbe<MPEGFrameHeader>.probe(bytes, isLast: isLast, isSearching: isSearching)
    // In noise such headers occur by chance.
    guard match == .no, !isSearching else { return match }
    switch MPEGFreeFormat.detect(bytes, isLast: isLast) {
    case .frame: return .packets(from: 0)
    case .needsBytes(let count): return .needsBytes(count)
    case .no: return .no
    }
  }
}
