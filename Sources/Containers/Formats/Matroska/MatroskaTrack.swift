internal import AudioModel

/// The contents of a `TrackEntry` (RFC 9559 5.1.4.1).
struct MatroskaTrack {
  private(set) var number: UInt64 = 0
  private(set) var uid: UInt64 = 0
  private(set) var type: UInt64 = 0
  private(set) var isEnabled = true
  private(set) var isDefault = true
  private(set) var codecID = ""
  private(set) var codecPrivate: [UInt8] = []
  /// Sample rate of the encoded audio, and of the decoded audio if stated.
  private(set) var sampleRate = 8000.0
  private(set) var outputSampleRate: Double?
  private(set) var channelCount = 1
  private(set) var bitDepth = 0
  /// Priming of the decoder, and audio to be decoded before a seek target, in nanoseconds.
  private(set) var codecDelay: Int64 = 0
  private(set) var seekPreRoll: Int64 = 0
  /// Bytes that every packet begins with, and that the file omits (ContentCompAlgo 3).
  private(set) var strippedBytes: [UInt8] = []
  /// The reason why no decoder can take the packets.
  private(set) var refusal: String?
  private(set) var isEncrypted = false

  private static let maximumStrippedByteCount = 64

  /// True for an audio track.
  var isAudio: Bool { type == 2 }

  /// Reads an entry's content.
  init(_ content: RawSpan) {
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.trackNumber: number = content.ebmlUnsigned
      case MatroskaID.trackUID: uid = content.ebmlUnsigned
      case MatroskaID.trackType: type = content.ebmlUnsigned
      case MatroskaID.flagEnabled: isEnabled = content.ebmlUnsigned != 0
      case MatroskaID.flagDefault: isDefault = content.ebmlUnsigned != 0
      case MatroskaID.codecID: codecID = content.ebmlString
      case MatroskaID.codecPrivate: codecPrivate = content.copy(0..<content.byteCount)
      case MatroskaID.codecDelay: codecDelay = content.ebmlInteger
      case MatroskaID.seekPreRoll: seekPreRoll = content.ebmlInteger
      case MatroskaID.audio: readAudio(content)
      case MatroskaID.contentEncodings: content.forEachElement { _, content in readEncoding(content) }
      default: break
      }
    }
  }

  private mutating func readAudio(_ content: RawSpan) {
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.samplingFrequency: sampleRate = content.ebmlFloat
      case MatroskaID.outputSamplingFrequency: outputSampleRate = content.ebmlFloat
      case MatroskaID.channels: channelCount = Int(min(content.ebmlUnsigned, 0x10000))
      case MatroskaID.bitDepth: bitDepth = Int(min(content.ebmlUnsigned, 0x10000))
      default: break
      }
    }
  }

  /// Reads the encoding of stored packets. Omitted first bytes are restored; a scope of 2 means the codec's private
  /// data.
  private mutating func readEncoding(_ content: RawSpan) {
    var (scope, type, algorithm): (UInt64, UInt64, UInt64) = (1, 0, 0)
    var settings: [UInt8] = []
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.contentEncodingScope: scope = content.ebmlUnsigned
      case MatroskaID.contentEncodingType: type = content.ebmlUnsigned
      case MatroskaID.contentCompression:
        content.forEachElement { id, content in
          if id == MatroskaID.contentCompAlgo { algorithm = content.ebmlUnsigned }
          if id == MatroskaID.contentCompSettings { settings = content.copy(0..<content.byteCount) }
        }
      default: break
      }
    }
    if type != 0 {
      (refusal, isEncrypted) = ("the audio is encrypted", true)
    } else if algorithm == 3, strippedBytes.isEmpty, settings.count <= Self.maximumStrippedByteCount {
      if scope & 1 != 0 { strippedBytes = settings }
      if scope & 2 != 0 { codecPrivate = settings + codecPrivate }
    } else {
      let names: [UInt64: String] = [0: "zlib", 1: "bzlib", 2: "LZO", 3: "several stripped headers"]
      refusal = "packets compressed by \(names[algorithm] ?? "an unknown method") are not supported"
    }
  }

  /// Frames in a time span in nanoseconds.
  static func frames(_ nanoseconds: Int64, sampleRate: Double) -> Int64 {
    Int64((Double(nanoseconds) * sampleRate / 1e9).rounded())
  }
}
