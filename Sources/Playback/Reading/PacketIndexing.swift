internal import AudioModel
internal import ByteIO
internal import Containers

/// Indexes the packets of an input ahead of the packet that is read, for exact durations and seeks.
struct PacketIndexing {
  /// The parser that indexes the input; created on first use.
  var file: AudioFile?
  /// True if indexing is complete, or cannot continue.
  var isDone = false
  /// The size that the input had at that time, or when it was opened: tables in headers index a file that is shorter than
  /// they say up to that size.
  private var byteCount: Int64

  init(of input: PacketInput) { byteCount = input.source.byteCount ?? 0 }

  /// True if a file has grown since then: it has to be indexed again.
  mutating func followGrowth(of input: PacketInput) -> Bool {
    guard let now = input.file?.byteCount, now > byteCount else { return false }
    (byteCount, isDone) = (now, false)
    return true
  }

  /// All packets have been read, up to that byte: their index is complete, too.
  mutating func noteEnd(at byteOffset: Int64) { byteCount = max(byteCount, byteOffset) }

  /// The offset of the next link of a chained stream, with another encoding, according to the index.
  private var indexedLink: Int64?
  private var followingLinks = FollowingLinks()

  enum Outcome {
    case unfinished
    /// All is indexed; `tags`: those at the end of the input, if they were read.
    case done(tags: TrackTags?)
    /// There was nothing to index.
    case unchanged
  }

  /// The offset of the next link of a chained stream, which has another encoding.
  func nextLinkOffset(_ supply: any PacketSupply) -> Int64? {
    indexedLink ?? supply.information.continuationByteOffset
  }

  /// Adds the durations of the later links to that of the first one.
  func addLinks(to information: inout MediaInformation, _ supply: any PacketSupply) {
    // Before its end is known, the duration of a link is estimated from the bytes of this link and all later ones.
    guard nextLinkOffset(supply) != nil, supply.packetIndex.isComplete else { return }
    information.duration = information.duration.map { $0 + followingLinks.seconds }
    information.durationIsEstimated = !followingLinks.areAllKnown
  }

  /// Indexes about so many bytes more. `isWhole`: later links belong to the track.
  mutating func advance(
    _ supply: any PacketSupply, of input: PacketInput, isWhole: Bool, byteBudget: Int64
  ) throws(ContainerError) -> Outcome {
    guard !isDone, let byteCount = input.source.byteCount else {
      isDone = true
      return .unchanged
    }
    self.byteCount = byteCount
    guard !input.isArriving else { return .unchanged }
    if supply.packetIndex.isComplete, isWhole, let link = nextLinkOffset(supply) {
      isDone = try followingLinks.advance(input.source, from: link, byteBudget: byteBudget)
      return isDone ? .done(tags: nil) : .unfinished
    }
    var tags: TrackTags?
    if let isComplete = try supply.extendIndex(byteBudget: byteBudget) {
      isDone = isComplete
    } else {
      let file = if let file { file } else { try input.openFile() }
      self.file = file
      file.adopt(supply.packetIndex)
      // Bytes that the source promises and does not have cannot be indexed, however often they are requested.
      isDone = try file.advanceIndex(byteBudget: byteBudget) || file.isWaitingForBytes
      supply.adopt(file.packetIndex)
      if isDone { (tags, indexedLink) = (file.information.tags, file.information.continuationByteOffset) }
    }
    guard isDone else { return .unfinished }
    if isWhole, nextLinkOffset(supply) != nil { isDone = false }
    file = nil
    return .done(tags: tags)
  }
}
