internal import AudioModel

// The table of file types.
extension ContainerFormat {
  /// Types with a signature, which takes precedence over any hint.
  static let marked: [ContainerFormat] = [
    ContainerFormat(marked: "RIFF", name: "WAVE", types: [.wave]) { waveParser() },
    ContainerFormat(marked: "RIFX", name: "WAVE", types: [.wave]) { waveParser() },
    ContainerFormat(marked: "RF64", name: "RF64", types: [.rf64]) { waveParser() },
    ContainerFormat(marked: "BW64", name: "BW64", types: [.rf64]) { waveParser() },
    ContainerFormat(marked: "riff.", name: "Wave64", types: [.wave64]) { waveParser(isWave64: true) },
    ContainerFormat(marked: "FORM", name: "AIFF", types: [.aiff, .aifc]) { ChunkedParser(AIFFForm()) },
    ContainerFormat(marked: "caff", name: "CAF", types: [.caf]) { ChunkedParser(CAFForm()) },
    ContainerFormat(
      name: "MPEG-4", types: [.m4a, .m4b, .mp4, .threeGP, .threeGP2], match: MPEG4Parser.probe,
      makeParser: { MPEG4Parser() }),
    ContainerFormat(marked: ".snd", name: "NeXT/Sun", types: [.next]) { NeXTParser() },
    ContainerFormat(marked: "dns.", name: "NeXT/Sun", types: [.next]) { NeXTParser() },
    ContainerFormat(marked: "\0ds.", name: "NeXT/Sun", types: [.next]) { NeXTParser() },
    ContainerFormat(marked: "fLaC", name: "FLAC", types: [.flac]) { FLACParser() },
    ContainerFormat(marked: "OggS", name: "Ogg", types: [.ogg]) { OggParser() },
    ContainerFormat(
      name: "Matroska", types: [.matroska, .webm], match: MatroskaParser.probe, makeParser: { MatroskaParser() }),
    ContainerFormat(marked: "#!AMR", name: "AMR", types: [.amr]) { AMRParser() },
    ContainerFormat(marked: "ADIF", name: "ADIF", types: []),
  ]

  /// Types that are recognised by sync words: at the start, or anywhere in the first bytes if `isSearching`. MPEG audio
  /// comes last, because its sync word is the shortest.
  static func synchronised(isSearching: Bool) -> [ContainerFormat] {
    [
      ContainerFormat(
        name: "ADTS", types: [.adts],
        match: { bytes, isLast in SyncProbe<ADTSHeader>.probe(bytes, isLast: isLast, isSearching: isSearching) },
        makeParser: { ADTSParser() }),
      ContainerFormat(
        name: "AC-3", types: [.ac3],
        match: { bytes, isLast in SyncProbe<AC3Header>.probe(bytes, isLast: isLast, isSearching: isSearching) },
        makeParser: { AC3Parser() }),
      ContainerFormat(
        name: "MPEG audio", types: [.mp3, .mp2, .mp1],
        match: { bytes, isLast in MPEGAudioProbe.probe(bytes, isLast: isLast, isSearching: isSearching) },
        makeParser: { MPEGAudioParser() }),
    ]
  }

  /// AAC in LOAS, whose packets do not begin at whole bytes. Tried after all others, because its sync word is short.
  static let loas = ContainerFormat(
    name: "LOAS", types: [.loas],
    match: { bytes, isLast throws(ContainerError) in
      // 11 bits of sync word, 13 of length; then the next.
      guard bytes.byteCount >= 3 else { return isLast ? .no : .needsBytes(3) }
      guard bytes.bigEndian16(at: 0) >> 5 == 0x2b7 else { return .no }
      let next = 3 + Int(bytes.bigEndian24(at: 0) & 0x1fff)
      guard bytes.byteCount >= next + 2 else { return isLast ? .no : .needsBytes(next + 2) }
      return bytes.bigEndian16(at: next) >> 5 == 0x2b7 ? .packets(from: 0) : .no
    })

  /// Ogg after other bytes: a whole first page. Among the bytes at hand only, because stations begin anywhere in a
  /// packet, and the types that are tried after it ask for more.
  static let laterOgg = ContainerFormat(
    name: "Ogg", types: [.ogg],
    match: { bytes, isLast in
      for index in 0..<min(bytes.byteCount, ContainerFormat.probeByteCount) where bytes[index] == UInt8(ascii: "O") {
        if case .page(let page) = OggPage.look(bytes, at: index, isLast: isLast), page.beginsStream {
          return .packets(from: index)
        }
      }
      return .no
    }, makeParser: { OggParser() })

  /// FLAC after other bytes, such as zeros that a tag before it does not count: the mark, and the header of STREAMINFO,
  /// which has 34 bytes (RFC 9639 8.2).
  static let laterFLAC = ContainerFormat(
    name: "FLAC", types: [.flac],
    match: { bytes, _ in
      for index in 0..<min(max(0, bytes.byteCount - 7), ContainerFormat.probeByteCount)
      where bytes.has("fLaC", at: index) && bytes.bigEndian32(at: index + 4) & 0x7fff_ffff == 34 {
        return .packets(from: index)
      }
      return .no
    }, makeParser: { FLACParser() })

  /// Types without a signature or sync word: known by a hint only, and refused with a reason.
  static let hintedOnly: [ContainerFormat] = [
    ContainerFormat(
      name: "Sound Designer II", types: [.soundDesigner2],
      match: { _, _ throws(ContainerError) in
        throw ContainerError(
          .unsupportedFileType, at: 0,
          "a Sound Designer II file without its resource fork, which alone says how the audio is laid out")
      })
  ]

  /// All types in the order of probing: those with a signature, those that begin with frames, those with frames
  /// anywhere. A hint makes a difference only to types without a signature.
  static func candidates(hint: AudioFileTypeID?) -> [ContainerFormat] {
    switch hint {
    case .mp3, .mp2, .mp1: hintedMPEG
    case .adts: hintedADTS
    case .ac3: hintedAC3
    case .soundDesigner2: ordered(hint: hint)
    default: unhinted
    }
  }

  // Made once: a scan of a collection opens thousands of files.
  private static let hintedMPEG = ordered(hint: .mp3)
  private static let hintedADTS = ordered(hint: .adts)
  private static let hintedAC3 = ordered(hint: .ac3)
  private static let unhinted = ordered(hint: nil)

  private static func ordered(hint: AudioFileTypeID?) -> [ContainerFormat] {
    let isHinted = { (format: ContainerFormat) in hint.map(format.types.contains) ?? false }
    let searched = synchronised(isSearching: true)
    return marked + foreign + synchronised(isSearching: false) + [laterOgg, laterFLAC]
      + searched.filter(isHinted) + searched.filter { !isHinted($0) } + [loas] + hintedOnly.filter(isHinted)
  }
}

private func waveParser(isWave64: Bool = false) -> any ContainerParser {
  ChunkedParser(WAVEForm(isWave64: isWave64) { ProbingParser(inside: $0, refusal: $1) })
}
