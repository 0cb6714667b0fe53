internal import AudioModel

/// The tables of a track in `stbl` (ISO/IEC 14496-12 8.6.1, 8.7), as they lie in the file: they come in any order.
struct SampleTables {
  /// Bytes in memory of all tables of a track; a track that has more is refused. Enough for 8 million packets: two
  /// days.
  static let maximumByteCount = 1 << 25

  /// The limit of packets of one size in the `moov` of a fragmented file, where they take no bytes.
  private static let maximumLikePacketCount = 1 << 16

  /// `stsz`, `stz2`: bytes of each sample.
  var sizes: [UInt32] = []
  /// Or of all.
  var constantSize: UInt32 = 0
  var sampleCount = 0
  /// `stco`, `co64`: where chunks begin.
  var chunkOffsets: [Int64] = []
  /// `stsc`: from which chunk on, counted from 1, they hold how many samples.
  var chunkRuns: [(firstChunk: UInt32, sampleCount: UInt32)] = []
  /// `stts`: how many samples have which duration.
  var durations: [(sampleCount: UInt32, duration: UInt32)] = []

  /// True if samples have sizes: a size of 1 means chunks of unknown packets in old QuickTime files.
  var tellsSizes: Bool { sampleCount == 0 || !sizes.isEmpty || constantSize > 1 }

  /// The memory for them and the structures built from them.
  var byteCount: Int { 4 * sizes.count + 24 * chunkOffsets.count + 8 * (chunkRuns.count + durations.count) }

  /// Sum of all durations, in the media's time scale.
  var duration: Int64 {
    durations.reduce(0) { $0 &+ Int64($1.sampleCount) &* Int64($1.duration) }
  }

  /// The places of all packets. `framesPerUnit` turns the media's time scale into frames. Packets in later fragments
  /// need not be like them.
  func packetTable(
    of format: AudioStreamBasicDescription, framesPerUnit: Double, isFragmented: Bool
  ) -> PacketTable {
    var sizes = sizes
    if isFragmented, sizes.isEmpty, format.bytesPerPacket == 0, !chunkOffsets.isEmpty {
      sizes = Array(repeating: constantSize, count: min(sampleCount, Self.maximumLikePacketCount))
    }
    let isConstant = format.bytesPerPacket > 0 || sizes.isEmpty && !isFragmented
    let sampleCount = isConstant ? self.sampleCount : min(self.sampleCount, sizes.count)
    var table = PacketTable(
      bytesPerPacket: format.bytesPerPacket > 0 ? format.bytesPerPacket : isConstant ? Int(constantSize) : 0,
      framesPerPacket: framesPerPacket(of: format, framesPerUnit, isFragmented: isFragmented),
      sizes: isConstant ? [] : sizes)
    guard table.bytesPerPacket > 0 || !sizes.isEmpty else { return table }
    var (sample, run) = (0, 0)
    for chunk in chunkOffsets.indices where sample < sampleCount {
      while run + 1 < chunkRuns.count, chunkRuns[run + 1].firstChunk <= chunk + 1 { run += 1 }
      guard run < chunkRuns.count else { break }
      let end = min(sampleCount, sample + Int(chunkRuns[run].sampleCount))
      let offset = chunkOffsets[chunk]
      let isPlaced =
        isConstant
        ? table.append(at: offset, constantPacketsIn: byteCount(ofSamples: sample..<end, format))
        : table.append(at: offset, count: end - sample)
      guard isPlaced else { break }
      sample = end
    }
    if table.framesPerPacket == 0 {
      table.addFrameCounts(
        format.formatID.isMPEG
          ? MPEGFrameGroups(format, framesPerUnit).frameCounts(durations, packetCount: table.packetCount)
          : frameCounts(table.packetCount, framesPerUnit))
    }
    return table
  }

  /// Frames of every packet; 0 if they differ.
  private func framesPerPacket(
    of format: AudioStreamBasicDescription, _ framesPerUnit: Double, isFragmented: Bool
  ) -> Int {
    // Samples of MPEG audio may hold several of its frames; the runs tell how many.
    if isFragmented { return format.formatID.isMPEG ? 0 : format.framesPerPacket }
    if format.formatID.isMPEG {
      return MPEGFrameGroups(format, framesPerUnit).framesPerPacket(durations, sampleCount: sampleCount)
    }
    return format.framesPerPacket > 0 ? format.framesPerPacket : commonDuration(framesPerUnit)
  }

  /// Bytes of a chunk. QuickTime counts single frames of PCM and ADPCM as samples, of 1 byte each as old files have it.
  private func byteCount(ofSamples samples: Range<Int>, _ format: AudioStreamBasicDescription) -> Int64 {
    if !sizes.isEmpty { return sizes[samples.clamped(to: sizes.indices)].reduce(0) { $0 + Int64($1) } }
    guard constantSize <= 1, format.bytesPerPacket > 0 else {
      return Int64(clamping: samples.count.multipliedFullWidth(by: Int(constantSize)).low)
    }
    return Int64(samples.count / format.framesPerPacket) * Int64(format.bytesPerPacket)
  }

  /// Frames of every sample but the last, if they are the same; else 0.
  private func commonDuration(_ framesPerUnit: Double) -> Int {
    var longest: UInt32?
    var seen = 0
    for entry in durations where entry.sampleCount > 0 {
      seen += Int(entry.sampleCount)
      if longest == nil { longest = entry.duration }
      let isLast = entry.sampleCount == 1 && seen >= sampleCount
      if entry.duration != longest, !isLast { return 0 }
    }
    let frames = (Double(longest ?? 0) * framesPerUnit).rounded()
    return frames < 0x10000 ? Int(frames) : 0
  }

  private func frameCounts(_ count: Int, _ framesPerUnit: Double) -> [UInt32] {
    var frameCounts: [UInt32] = []
    for entry in durations {
      let frames = UInt32(min(0xffff, (Double(entry.duration) * framesPerUnit).rounded()))
      frameCounts += repeatElement(frames, count: min(Int(entry.sampleCount), count - frameCounts.count))
    }
    return frameCounts
  }
}
