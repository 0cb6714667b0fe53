internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

/// The information on an input: that of its container, refined by its first packets, its index and its stream.
struct PacketInformation {
  /// Properties that the container does not declare.
  private var refinement: FormatRefinement?
  private var known = MediaInformation()
  /// True if `known` is out of date, as after each window until the duration is exact.
  private var isOutdated = true
  private var knownPacketCount: Int64 = 1
  /// The listener's choice when `known` was read.
  private var charset: Charset?
  /// True if the input continues in another encoding.
  var hasContinuation = false

  /// Decoded frames per frame of the container.
  var frameFactor: Int { refinement?.frameFactor ?? 1 }

  /// The first packets have been read.
  mutating func refine(_ supply: any PacketSupply, _ batch: PacketBatch) {
    refinement = supply.isDecoded ? nil : FormatRefinement(supply.information, batch)
    isOutdated = true
  }

  mutating func outdate() { isOutdated = true }

  /// Another window has been read.
  mutating func noteWindow(_ packetCount: Int64) {
    // Without a duration, the mean bit rate is updated each time the number of packets has doubled.
    let isMoreExact = known.duration == nil && packetCount >= 2 * knownPacketCount
    if known.durationIsEstimated || isMoreExact { (isOutdated, knownPacketCount) = (true, packetCount) }
  }

  mutating func current(
    _ supply: any PacketSupply, _ indexing: PacketIndexing, _ stream: NetworkByteSource?, isWhole: Bool
  ) -> MediaInformation {
    let isInOtherCharset = known.tags.fields.first(.charset) != nil && charset != Charset.chosen
    if isOutdated || isInOtherCharset { update(supply, indexing, stream, isWhole: isWhole) }
    return known
  }

  /// Updates the information; `tags`: those at the end of the input. Returns true if it changed.
  @discardableResult
  mutating func update(
    _ supply: any PacketSupply, _ indexing: PacketIndexing, _ stream: NetworkByteSource?, isWhole: Bool,
    tags: TrackTags? = nil
  ) -> Bool {
    charset = Charset.chosen
    let (before, container) = (known, supply.information)
    known = refinement?.applied(to: container) ?? container
    if let seconds = stream?.declaredSeconds, known.duration == nil || hasContinuation {
      (known.duration, known.durationIsEstimated) = (seconds, true)
    }
    if isWhole { indexing.addLinks(to: &known, supply) }
    if let tags { known.tags = tags }
    stream?.resolution?.complete(&known)
    isOutdated = false
    return known != before
  }
}

extension Resolution {
  /// Adds what the sound does not say itself.
  fileprivate func complete(_ information: inout MediaInformation) {
    if information.duration == nil, let duration {
      (information.duration, information.durationIsEstimated) = (duration, true)
    }
    let own = information.tags
    information.tags.title = own.title ?? tags.title
    information.tags.artist = own.artist ?? tags.artist
    information.tags.album = own.album ?? tags.album
    information.tags.date = own.date ?? tags.date
    if own.chapters.isEmpty { information.tags.chapters = tags.chapters }
  }
}
