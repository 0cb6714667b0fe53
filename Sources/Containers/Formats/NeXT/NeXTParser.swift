internal import AudioModel

/// NeXT and Sun `.au`: a header of 24 bytes, a remark, the audio. `dns.` at the start, or DEC's `\0ds.`, says that all
/// is little-endian.
///
///     0 ".snd"   4 offset of the audio   8 its bytes   12 encoding   16 frames per second   20 channels   24 remark
struct NeXTParser: ContainerParser {
  private static let headerByteCount = 24
  /// Longer remarks are skipped.
  private static let maximumRemarkByteCount: Int64 = 0x10000

  private var audio: ConstantPackets?
  private var tags = TrackTags()
  private var state = State.header

  private enum State {
    case header
    /// In the remark, which ends where the audio begins.
    case remark(end: Int64)
    case audio
  }

  var information: MediaInformation {
    var information = audio?.information ?? MediaInformation()
    information.fileType = .next
    information.tags = tags
    return information
  }

  func index(endingAt end: Int64?) -> PacketIndex? { audio?.index(endingAt: end) }

  mutating func resume(at point: ResumePoint?) { audio?.resume(at: point) }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .header: try header(bytes, at: offset, isLast: isLast)
    case .remark(let end): remark(bytes, at: offset, isLast: isLast, end: end)
    case .audio: audio?.step(bytes, at: offset, isLast: isLast) ?? .endOfStream
    }
  }

  private mutating func header(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard bytes.byteCount >= Self.headerByteCount else {
      return isLast ? .endOfStream : .needsBytes(Self.headerByteCount)
    }
    let order = bytes.has(".snd") ? ByteOrder.big : .little
    let start = Int64(bytes.unsigned32(at: 4, order))
    guard start >= Self.headerByteCount else {
      throw ContainerError(.invalidFile, at: offset + 4, "audio behind the header, not from byte \(start) on")
    }
    // 0 means that the writer never filled it in.
    let byteCount = bytes.unsigned32(at: 8, order)
    let format = try Self.format(
      encoding: bytes.unsigned32(at: 12, order), sampleRate: Double(bytes.unsigned32(at: 16, order)),
      channelCount: Int(bytes.unsigned32(at: 20, order)), order, at: offset + 12)
    audio = try ConstantPackets(
      format, at: offset + start, byteCount: byteCount == 0 || byteCount == .max ? nil : Int64(byteCount),
      place: offset + 12)
    state = .remark(end: offset + start)
    return .found(.metadata, byteCount: Int64(Self.headerByteCount))
  }

  private static func format(
    encoding: UInt32, sampleRate: Double, channelCount: Int, _ order: ByteOrder, at byteOffset: Int64
  ) throws(ContainerError) -> AudioStreamBasicDescription {
    typealias Description = AudioStreamBasicDescription
    let isBigEndian = order == .big ? Description.isBigEndian : 0
    func linear(_ bytesPerSample: Int, _ flags: UInt32) -> Description {
      .linearPCM(
        sampleRate: sampleRate, channelCount: channelCount, bits: bytesPerSample * 8,
        bytesPerFrame: bytesPerSample * channelCount, flags: flags | isBigEndian)
    }
    switch encoding {
    case 1: return .companded(.uLaw, sampleRate: sampleRate, channelCount: channelCount)
    case 2...5: return linear(Int(encoding) - 1, Description.isSignedInteger)
    case 6: return linear(4, Description.isFloat)
    case 7: return linear(8, Description.isFloat)
    case 27: return .companded(.aLaw, sampleRate: sampleRate, channelCount: channelCount)
    default:
      let name = names[encoding].map { " (\($0))" } ?? ""
      throw ContainerError(.unsupportedDataFormat, at: byteOffset, "NeXT encoding \(encoding)\(name) is not supported")
    }
  }

  private static let names: [UInt32: String] = [
    8: "fragmented", 10: "DSP program", 11: "8-bit fixed point", 12: "16-bit fixed point", 13: "24-bit fixed point",
    14: "32-bit fixed point", 23: "G.721 ADPCM", 24: "G.722 ADPCM", 25: "G.723 ADPCM, 3 bits",
    26: "G.723 ADPCM, 5 bits",
  ]

  private mutating func remark(_ bytes: RawSpan, at offset: Int64, isLast: Bool, end: Int64) -> ParserStep {
    let remaining = end - offset
    if remaining <= Self.maximumRemarkByteCount {
      guard bytes.byteCount >= remaining else { return isLast ? .endOfStream : .needsBytes(Int(remaining)) }
      add(bytes.copy(0..<Int(remaining)))
    }
    state = .audio
    return .found(.metadata, byteCount: remaining)
  }

  /// Takes lines as ffmpeg writes them, `title=...`; all else is a comment.
  private mutating func add(_ remark: [UInt8]) {
    for line in TagText.unlabelled(remark).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0].allSatisfy({ $0.isLetter || $0 == "_" }) {
        tags.add(String(parts[1]), named: String(parts[0]))
      } else {
        tags.add(String(line), named: "COMMENT")
      }
    }
  }
}
