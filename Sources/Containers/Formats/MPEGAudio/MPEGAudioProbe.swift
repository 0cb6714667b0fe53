/// Tells whether bytes are MPEG audio, and where the first packet begins.
enum MPEGAudioProbe {
  /// Looks for packets, at the very start or, if `isSearching`, behind it.
  static func probe(_ bytes: RawSpan, isLast: Bool, isSearching: Bool) -> ContainerFormat.Match {
    let match = SyncProbe<MPEGFrameHeader>.probe(bytes, isLast: isLast, isSearching: isSearching)
    // Behind noise such headers are found by chance.
    guard match == .no, !isSearching else { return match }
    switch MPEGFreeFormat.look(bytes, isLast: isLast) {
    case .frame: return .packets(from: 0)
    case .needsBytes(let count): return .needsBytes(count)
    case .no: return .no
    }
  }
}
