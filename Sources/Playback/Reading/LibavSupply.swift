internal import AudioModel
internal import ByteIO
internal import Containers
internal import Decoding
internal import SignalProcessing

/// Reads types that no parser of this library knows, through libavformat and libavcodec. Its packets are decoded
/// already.
final class LibavSupply: PacketSupply {
  private let source: any ByteSource
  private let file: LibavAudioFile
  /// Decodes ahead of `file` to count frames; created on first use.
  private var scout: LibavAudioFile?
  private var chunk = LibavAudioFile.Chunk()
  private var number: Int64 = 0
  /// The missing byte at which the last seek stopped; the next read seeks again.
  private var awaitedByteOffset: Int64?
  private let tags: TrackTags
  /// Set for DSD.
  private var reduction: DSDReduction?

  /// Opens an input, which may be a network stream, and decodes its first frames. `error`: the error of our own
  /// parsers. At most `countedByteCount` bytes are read to count frames.
  init(
    _ source: any ByteSource, insteadOf error: TrackError? = nil,
    countedByteCount: Int64 = DecodingLimits.countedByteCount
  ) throws(ContainerError) {
    self.source = source
    do throws(LibavError) {
      file = try LibavAudioFile(
        source, isSeekable: source.allowsRandomAccess, isEndless: source.isLive, countedByteCount: countedByteCount,
        convertChannels: Self.converted)
    } catch let failure { throw ContainerError(failure, insteadOf: error) }
    if file.isDSD { reduction = DSDReduction(file.pcm) }
    tags = try Self.tags(of: file, source)
  }

  private static func tags(of file: LibavAudioFile, _ source: any ByteSource) throws(ContainerError) -> TrackTags {
    var tags = TrackTags()
    if source.allowsRandomAccess {
      tags = try TrackTags.readable(source)
      do throws(LibavError) {
        if tags.artwork.isEmpty { tags.artwork = try file.findPictures() }
      } catch { throw ContainerError(error) }
    }
    // libavformat gives some of them, too, but of several values of a field one.
    for pairs in file.metadata {
      var others = TrackTags()
      for (name, value) in pairs { others.add(value, named: name) }
      tags = tags.filled(from: others)
    }
    if tags.chapters.isEmpty { tags.chapters = file.chapters }
    return tags
  }

  /// Frames of another number of channels, as in a broadcast, for the channels that it began with.
  private static func converted(_ samples: [UInt8], from input: PCMFormat, to output: PCMFormat) -> [UInt8]? {
    var result: [UInt8] = []
    do throws(PCMConverterError) {
      let converter = try PCMConverter(from: input, to: output)
      let outcome = samples.withUnsafeBytes { bytes in
        Result { () throws(PCMConverterError) in try converter.convert(bytes, into: &result) }
      }
      try outcome.get()
    } catch { return nil }
    return result
  }

  var information: MediaInformation {
    var information = file.information
    information.tags = tags
    guard let reduction else { return information }
    information.dataFormat = information.dataFormat.map(reduction.applied)
    information.formatList = information.formatList.map(reduction.applied)
    information.frameCount = information.frameCount.map(reduction.frameCount)
    information.promisedFrameCount = information.promisedFrameCount.map(reduction.frameCount)
    if let frames = information.frameCount, let rate = information.dataFormat?.sampleRate {
      information.duration = Double(frames) / rate
    }
    return information
  }

  var isDecoded: Bool { true }
  /// 16 bits for lossy codecs, which have no sample width of their own.
  var usualSampleFormat: PCMFormat.SampleFormat? { file.isDSD ? .s24in32 : file.isLossless ? nil : .s16 }
  var positionIsEstimated: Bool { file.placeIsEstimated }
  var prerollPacketCount: Int { 0 }
  var prerollFrameCount: Int { 0 }
  var byteOffset: Int64 { awaitedByteOffset ?? file.byteOffset }
  func adopt(_ index: PacketIndex) {}

  var packetIndex: PacketIndex {
    let frames = file.frameCount ?? file.knownFrameCount
    return PacketIndex(
      packetCount: file.knownPacketCount, byteCount: file.knownByteCount,
      frameCount: reduction?.frameCount(frames) ?? frames, endOffset: file.byteOffset,
      isComplete: file.frameCount != nil)
  }

  /// If frames are numbered, the start leads to every packet.
  func knownResumePoint(atOrBefore packet: Int64) -> ResumePoint? {
    file.promisedFrameCount == nil ? nil : ResumePoint(byteOffset: 0, packet: 0, frame: 0)
  }

  // MARK: Reading

  func fill(_ batch: inout PacketBatch) throws(ContainerError) {
    do throws(LibavError) {
      var byteCount = 0
      while byteCount < Self.windowByteCount, try next() {
        awaitedByteOffset = nil
        if chunk.isDamaged { batch.noteDamage(at: chunk.byteOffset) }
        let packet = PacketDescription(
          byteOffset: chunk.byteOffset, byteCount: chunk.bytes.count, frameCount: chunk.frameCount)
        batch.append(packet, index: number, bytes: chunk.bytes)
        number += 1
        byteCount += chunk.bytes.count
      }
    } catch {
      // Frames that are there come first; the next call meets the failure again.
      if batch.entries.isEmpty { throw ContainerError(error) }
    }
  }

  private static let windowByteCount = 1 << 14

  private func next() throws(LibavError) -> Bool {
    guard reduction != nil else { return try file.next(into: &chunk) }
    while try file.next(into: &chunk) {
      reduction?.apply(to: &chunk)
      if chunk.frameCount > 0 { return true }
    }
    return reduction?.finish(into: &chunk) == true
  }

  func seek(toAnchor packet: Int64) throws(ContainerError) { _ = try seek(toFrame: 0) }

  func seek(toFrame frame: Int64) throws(ContainerError) -> Bool {
    awaitedByteOffset = nil
    do throws(LibavError) { try file.seek(toFrame: reduction?.seek(toFrame: frame) ?? frame) } catch {
      guard let cause = error.cause, cause.isWait else { throw ContainerError(error) }
      awaitedByteOffset = cause.byteOffset
    }
    return true
  }

  // MARK: Looking ahead

  func reopenIndex() {
    file.forgetEnd()
    scout = nil
  }

  func extendIndex(byteBudget: Int64) throws(ContainerError) -> Bool? {
    guard file.frameCount == nil, file.isNumbered || file.isCounted else { return true }
    do throws(LibavError) {
      let scout = if let scout { scout } else { try LibavAudioFile(source, convertChannels: Self.converted) }
      self.scout = scout
      try scout.lookAhead(of: file, byteBudget: byteBudget)
      file.adopt(scout)
    } catch { throw ContainerError(error) }
    if file.frameCount != nil { scout = nil }
    return file.frameCount != nil
  }
}

extension ContainerError {
  /// The error of libavformat, after our own parsers failed with `error`.
  fileprivate init(_ failure: LibavError, insteadOf error: TrackError? = nil) {
    if let error, [.missing, .unknown].contains(failure.code) {
      switch error {
      case .container(let own):
        self = own
        if failure.code == .missing {
          expectation += ": \(failure.reason)"
        } else if let type = own.libavformatType {
          self = ContainerError(.invalidFile, at: byteOffset, "\(type) without readable audio; the file may be damaged")
        }
        return
      case .decoder(let own, let byteOffset):
        self.init(.unsupportedDataFormat, at: byteOffset, own.reason)
        return
      case .source, .output: break
      }
    }
    let code: Code =
      switch failure.code {
      case .missing, .unknown: .unsupportedFileType
      case .unsupported: .unsupportedDataFormat
      case .damaged, .tooSlow: .invalidFile
      case .source: .unspecified
      }
    self.init(code, at: failure.byteOffset, failure.reason, cause: failure.cause)
  }
}
