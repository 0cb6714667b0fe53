internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

// Indexing packets ahead of the one that is read, for exact durations and seeks.
extension PacketReader {
  /// Continues indexing until a frame's packet is found, or to the end.
  func extendIndex(beyondFrame frame: Int64) throws(TrackError) {
    if frame < knownFrameCount { return }
    try extendIndex { frameCount(in: $0) > frame }
  }

  /// Continues indexing until `isEnough`, or to the end; not while bytes arrive, which are parsed as they are read.
  func extendIndex(until isEnough: (PacketIndex) -> Bool) throws(TrackError) {
    guard !isArriving else { return }
    do throws(ContainerError) {
      while !isIndexed, !isEnough(supply.packetIndex) { _ = try extendIndex(byteBudget: 1 << 18) }
    } catch { throw .container(error) }
  }

  /// Indexes about so many bytes more. Returns true if `information` changed. Does nothing once `isIndexed`.
  @discardableResult
  public func advanceIndex(byteBudget: Int64 = 1 << 18) -> Bool {
    do throws(ContainerError) { return try extendIndex(byteBudget: byteBudget) } catch {
      // Reading will meet the same failure, and report it.
      isIndexed = true
      return false
    }
  }

  /// Indexes the input to its end.
  public func completeIndex() {
    // A pipe has to be read completely first.
    if stream?.byteCount == nil, stream?.isLive == false { stream?.waitUntilComplete() }
    while !isIndexed, !isArriving { advanceIndex(byteBudget: 1 << 24) }
  }

  /// Updates `information` from the index. Returns true if it changed.
  private func noteKnown(_ tags: TrackTags? = nil) -> Bool {
    let before = known
    known = refined(supply.information)
    if let tags { known.tags = tags }
    isMoreKnown = false
    indexer = nil
    return known != before
  }

  private func extendIndex(byteBudget: Int64) throws(ContainerError) -> Bool {
    guard !isIndexed, source.byteCount != nil else {
      isIndexed = true
      return false
    }
    guard !isArriving else { return false }
    if supply.packetIndex.isComplete, segment == nil, let link = nextLinkOffset {
      isIndexed = try followingLinks.advance(source, from: link, byteBudget: byteBudget)
      return isIndexed && noteKnown()
    }
    var tags: TrackTags?
    if let isComplete = try supply.extendIndex(byteBudget: byteBudget) {
      isIndexed = isComplete
    } else {
      let file = try openFile()
      indexer = file
      file.adopt(supply.packetIndex)
      // Bytes that the source promises and does not have cannot be indexed, however often they are requested.
      isIndexed = try file.advanceIndex(byteBudget: byteBudget) || file.isWaitingForBytes
      supply.adopt(file.packetIndex)
      if isIndexed { (tags, indexedLink) = (file.information.tags, file.information.continuationByteOffset) }
    }
    guard isIndexed else { return false }
    if segment == nil, nextLinkOffset != nil { isIndexed = false }
    return noteKnown(tags)
  }
}
