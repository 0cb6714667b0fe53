internal import AudioModel

extension AudioSpecificConfig {
  var isEnhancedLowDelay: Bool { objectType == 39 }

  /// The library to try first. libfaad guesses the places of channels that a program config element lists, and takes a
  /// pair before a single front channel, as ffmpeg writes them, for centre and left.
  var preferredLibrary: AACLibrary { channelConfiguration == 0 && channelCount > 2 ? .avcodec : .faad }

  /// A magic cookie with the program config element (ISO/IEC 14496-3 4.4.1.1) that `packet` begins with; `nil` if it
  /// begins with something else.
  func cookie(programConfigOf packet: UnsafeRawBufferPointer) -> [UInt8]? {
    func bit(_ index: Int) -> Int {
      index / 8 < packet.count ? Int(packet[index / 8]) >> (7 - index % 8) & 1 : 0
    }
    func number(_ start: Int, _ count: Int) -> Int { (start..<start + count).reduce(0) { $0 << 1 | bit($1) } }
    guard number(0, 3) == 5, 1...4 ~= objectType, let rate = Self.sampleRates.firstIndex(of: sampleRate) else {
      return nil
    }
    // After its kind 3, tag 4, profile 2, rate 4: numbers of elements in front, at the side, at the back 4 each, for low
    // frequencies 2, associated 3, coupled 4; three mixes, if they are there; the elements.
    var end = 34
    for width in [4, 4, 3] { end += 1 + width * bit(end) }
    end += 5 * (number(13, 4) + number(17, 4) + number(21, 4) + number(30, 4)) + 4 * (number(25, 2) + number(27, 3))
    guard end <= 8 * packet.count else { return nil }
    let head = objectType << 11 | rate << 7
    var bits = (0..<16).map { head >> (15 - $0) & 1 } + (3..<end).map(bit)
    // To a whole byte, and a comment of no bytes.
    bits += [Int](repeating: 0, count: (8 - bits.count % 8) % 8 + 8)
    return stride(from: 0, to: bits.count, by: 8).map { start in
      UInt8(truncatingIfNeeded: bits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
    }
  }

  /// Opens a library for the stream. `channelCount`: how many channels a mono stream becomes; `nil` keeps them.
  func open(
    _ library: AACLibrary, replicatedRate: Int? = nil, channelCount: Int?, sampleFormat: PCMFormat.SampleFormat
  ) throws(DecoderError) -> any AACHandle {
    let bytes = bytes(replicatedRate: replicatedRate)
    // libfaad accepts some of it, and decodes it wrongly.
    guard library == .avcodec || !(objectType == 23 || isEnhancedLowDelay) else {
      throw DecoderError(.formatNotSupported, "libfaad cannot decode AAC with low delay")
    }
    return switch library {
    case .faad: try FAADHandle(bytes, sampleFormat: sampleFormat)
    case .avcodec:
      try LibavcodecAAC(
        bytes, sampleRate: sampleRate, coreFrameCount: frameCount, channelCount: channelCount,
        sampleFormat: sampleFormat)
    }
  }
}
