internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

/// The source of a `PacketReader`'s packets: one of the two drivers of the parsers, or libavformat.
protocol PacketSupply: AnyObject {
  var information: MediaInformation { get }
  /// Packets to decode before a seek target.
  var prerollPacketCount: Int { get }
  /// The same in frames, for formats whose packets differ in their frames.
  var prerollFrameCount: Int { get }
  /// The packets whose offsets are known.
  var packetIndex: PacketIndex { get }
  func adopt(_ index: PacketIndex)
  /// The input has grown since the index was complete.
  func reopenIndex()
  /// The approximate byte offset at which reading continues.
  var byteOffset: Int64 { get }
  /// The place to begin reading to reach a packet that is not in `packetIndex`, if the headers define it.
  func knownResumePoint(atOrBefore packet: Int64) -> ResumePoint?
  /// Fills an empty batch; leaves it empty at the end.
  func fill(_ batch: inout PacketBatch) throws(ContainerError)
  /// Seeks to a packet of the index, or to any packet whose offset can be estimated.
  func seek(toAnchor packet: Int64) throws(ContainerError)
  /// Seeks to a frame without an index of packets. Returns false if the index has to be used.
  func seek(toFrame frame: Int64) throws(ContainerError) -> Bool
  /// Indexes about so many bytes more. Returns true if all packets are known; `nil` if `AudioFile` has to index the
  /// input.
  func extendIndex(byteBudget: Int64) throws(ContainerError) -> Bool?
  /// True if packets are decoded already: PCM as `information.formatList` says, whatever `dataFormat` is.
  var isDecoded: Bool { get }
  /// True if the last seek went to an estimated place.
  var positionIsEstimated: Bool { get }
  /// The sample format to use if none is requested; `nil` if the decoder knows.
  var usualSampleFormat: PCMFormat.SampleFormat? { get }
  /// The same supply, if it can read a stream that is still arriving.
  var arriving: (any ArrivingSupply)? { get }
}

/// A supply that reads a stream while it arrives: at estimated places, after losses, up to a change of the encoding.
protocol ArrivingSupply: PacketSupply {
  /// The number of consecutive bytes without a packet that ends the stream: another encoding has begun.
  var garbageLimit: Int64 { get set }
  /// True if another encoding has begun.
  var isForeign: Bool { get }
  /// The estimated offset of a packet that is not in the index; `nil` without an estimate.
  func estimatedByteOffset(ofPacket packet: Int64) -> Int64?
  /// Continues at a byte after a loss.
  func continueBehindLoss(at byteOffset: Int64) throws(ContainerError)
  /// Removes lost packets from the index.
  func forgetPackets(before byteOffset: Int64)
  /// Seeks to a byte where a packet begins; `numbering` returns its number and frame once its bytes are there.
  func seek(toByte byteOffset: Int64, numbering: @escaping () -> ResumePoint)
}

extension ArrivingSupply {
  /// True if a packet is estimated to lie behind the bytes that will soon be there for a reader at the end of the index,
  /// from which an exact seek would read on.
  func isFar(_ packet: Int64, in stream: NetworkByteSource) -> Bool {
    let index = packetIndex
    guard stream.isSeekable, index.anchor(atOrBefore: packet) == nil,
      let byteOffset = estimatedByteOffset(ofPacket: packet)
    else { return false }
    return byteOffset < stream.byteCount ?? .max && !stream.isNear(byteOffset, from: index.endOffset)
  }
}

extension PacketSupply {
  func reopenIndex() {}
  func seek(toFrame frame: Int64) throws(ContainerError) -> Bool { false }
  func extendIndex(byteBudget: Int64) throws(ContainerError) -> Bool? { nil }
  var isDecoded: Bool { false }
  var positionIsEstimated: Bool { false }
  var usualSampleFormat: PCMFormat.SampleFormat? { nil }
  var arriving: (any ArrivingSupply)? { nil }
}

/// Feeds an `AudioFileStream` with windows of a source.
final class StreamSupply: ArrivingSupply {
  private let source: any ByteSource
  private let stream: AudioFileStream
  private var window = [UInt8](repeating: 0, count: 1 << 16)
  private var offset: Int64
  /// Bytes that were read since the last packet.
  private var searchedByteCount = 0
  /// Returns the number and frame of a seek target, as soon as its bytes are there.
  private var numbering: (() -> ResumePoint)?
  var garbageLimit = Int64.max
  private(set) var isForeign = false

  var arriving: (any ArrivingSupply)? { self }

  var byteOffset: Int64 { offset }

  func estimatedByteOffset(ofPacket packet: Int64) -> Int64? {
    do throws(ContainerError) {
      return try stream.byteOffset(ofPacket: packet).byteOffset + (stream.information.dataOffset ?? 0)
    } catch { return nil }
  }

  init(source: any ByteSource, typeHint: AudioFileTypeID?, start: Int64) {
    (self.source, offset) = (source, start)
    stream = AudioFileStream(typeHint: typeHint, totalByteCount: source.byteCount, start: start)
  }

  var information: MediaInformation { stream.information }
  var prerollPacketCount: Int { stream.prerollPacketCount }
  var prerollFrameCount: Int { stream.prerollFrameCount }
  var packetIndex: PacketIndex { stream.packetIndex }
  func adopt(_ index: PacketIndex) { stream.adopt(index) }
  func reopenIndex() { stream.reopenIndex() }
  func knownResumePoint(atOrBefore packet: Int64) -> ResumePoint? { stream.knownResumePoint(atOrBefore: packet) }

  func fill(_ batch: inout PacketBatch) throws(ContainerError) {
    while batch.entries.isEmpty, !isForeign {
      if stream.isBeforeContinuation || searchedByteCount >= AudioFileStream.searchByteLimit {
        return try stream.finish(into: &batch)
      }
      if numbering == nil { offset += stream.passOver() }
      let count = try source.fill(&window, at: offset)
      if let numbering {
        try stream.seek(to: numbering())
        self.numbering = nil
      }
      guard count > 0 else { return try stream.finish(into: &batch) }
      offset += Int64(count)
      let bytes = window
      try stream.parse(bytes.span.bytes.extracting(first: count), into: &batch)
      searchedByteCount = batch.entries.isEmpty && !source.isLive ? searchedByteCount + count : 0
      isForeign = stream.garbageByteCount >= garbageLimit
    }
  }

  func continueBehindLoss(at byteOffset: Int64) throws(ContainerError) {
    try stream.continueBehindLoss(at: byteOffset)
    (offset, isForeign) = (byteOffset, false)
  }

  func forgetPackets(before byteOffset: Int64) { stream.forgetPlaces(before: byteOffset) }

  func seek(toByte byteOffset: Int64, numbering: @escaping () -> ResumePoint) {
    (offset, self.numbering, isForeign, searchedByteCount) = (byteOffset, numbering, false, 0)
  }

  func seek(toAnchor packet: Int64) throws(ContainerError) {
    let target = try stream.seek(toPacket: packet)
    (numbering, isForeign, searchedByteCount) = (nil, false, 0)
    offset = (stream.information.dataOffset ?? 0) + target.dataOffset
  }
}

final class FileSupply: PacketSupply {
  private let file: AudioFile
  /// The size of one read: every packet that a parser accepts fits.
  private let windowByteCount: Int
  private var nextPacket: Int64 = 0

  init(_ file: AudioFile) {
    self.file = file
    let largest = file.information.packetSizeUpperBound ?? 0
    windowByteCount = max(1 << 16, min(largest, AudioFileStream.maximumWindowByteCount))
  }

  var information: MediaInformation { file.information }
  var prerollPacketCount: Int { file.prerollPacketCount }
  var prerollFrameCount: Int { file.prerollFrameCount }
  var packetIndex: PacketIndex { file.packetIndex }
  func adopt(_ index: PacketIndex) { file.adopt(index) }
  func knownResumePoint(atOrBefore packet: Int64) -> ResumePoint? { file.knownResumePoint(atOrBefore: packet) }

  func fill(_ batch: inout PacketBatch) throws(ContainerError) {
    try batch.read(file, from: nextPacket, byteCount: windowByteCount)
    nextPacket = batch.entries.last?.end ?? nextPacket
  }

  func seek(toAnchor packet: Int64) { nextPacket = packet }

  var byteOffset: Int64 { packetIndex.anchor(atOrBefore: nextPacket)?.byteOffset ?? packetIndex.endOffset }
}

extension ByteSource {
  /// Reads a window, which is shorter before the end of the source. Returns 0 at the end.
  fileprivate func fill(_ window: inout [UInt8], at offset: Int64) throws(ContainerError) -> Int {
    let outcome = window.withUnsafeMutableBytes { buffer in
      Result { () throws(ByteIOError) in try read(into: buffer, at: offset) }
    }
    do throws(ByteIOError) { return try outcome.get() } catch {
      throw ContainerError(.unspecified, at: offset, "cannot \(error.operation): \(error.reason)", cause: error)
    }
  }
}
