import AudioModel
@testable import Containers
import Testing

@Suite struct `Finding out the type` {
  static let audio = Array(Synthesis.packets(20).joined())

  static func error(_ bytes: [UInt8], typeHint: AudioFileTypeID? = nil) -> ContainerError? {
    let (transcript, _) = pushed(bytes, typeHint: typeHint)
    #expect(pushed(bytes, chunk: 1, typeHint: typeHint).0 == transcript)
    return transcript.error
  }

  @Test(arguments: [
    nil, .mp3, .mp2, .wave, .aiff, .m4a, .adts, .flac, AudioFileTypeID(FourCharCode(rawValue: 0)),
    AudioFileTypeID(FourCharCode("????")),
  ]) func `never minds a hint (FreeStreamer 138, TDAudioStreamer 2)`(hint: AudioFileTypeID?) throws {
    let (transcript, stream) = pushed(Self.audio, typeHint: hint)
    #expect(transcript.packets.count == 20)
    #expect(stream.information.fileType == .mp3)
    #expect(try AudioFile(source: AwkwardSource(Self.audio), typeHint: hint).information.fileType == .mp3)
    let wave = Array("RIFF\u{10}\0\0\0WAVEfmt ".utf8) + Self.audio
    #expect(Self.error(wave, typeHint: hint)?.code == .invalidFile)
  }

  @Test func `refuses Sound Designer II with a reason, unless it is something else`() throws {
    let samples = [UInt8](repeating: 1, count: 5000)
    let error = try #require(Self.error(samples, typeHint: .soundDesigner2))
    #expect(error.code == .unsupportedFileType)
    #expect(error.description.contains("resource fork"))
    #expect(Self.error(samples, typeHint: .wave)?.description.contains("resource fork") == false)
    #expect(pushed(Self.audio, typeHint: .soundDesigner2).0.packets.count == 20)
  }

  @Test func `refuses ADIF and LOAS by name with any hint`() throws {
    let adif = Array("ADIF".utf8) + [UInt8](repeating: 0x21, count: 500)
    // Two frames of 100 bytes behind their headers.
    let frame = [0x56, 0xe0, 100] + [UInt8](repeating: 0x21, count: 100)
    for hint in [nil, AudioFileTypeID.loas, .adts, .mp3] {
      for (bytes, name) in [(adif, "ADIF"), (frame + frame, "LOAS")] {
        let error = try #require(Self.error(bytes, typeHint: hint))
        #expect(error.code == .unsupportedFileType)
        #expect(error.expectation == "\(name) files need libavformat")
      }
      #expect(
        Self.error(frame + adif, typeHint: hint)?.expectation
          == "not an audio file, or of a type that segue does not know")
    }
  }

  @Test func `searches at most 64 KiB of noise after the tags at the start`() throws {
    let tag = Synthesis.id3v2(3, [("APIC", [UInt8](repeating: 1, count: 100_000))])
    let near = tag + [UInt8](repeating: 0, count: 0xffff) + Self.audio
    let (transcript, _) = pushed(near)
    #expect(transcript.packets.count == 20)
    #expect(transcript.skips == [Transcript.Skip(byteOffset: Int64(tag.count), byteCount: 0xffff)])
    let far = tag + [UInt8](repeating: 0, count: 0x10000) + Self.audio
    #expect(pushed(far).0.error?.code == .unsupportedFileType)
    #expect(pushed(far).0.error?.byteOffset == Int64(tag.count))
  }

  @Test func `decides as soon as it can, not at the end`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse(Self.audio.span.bytes.extracting(0..<421), into: &transcript)
    #expect(transcript.packets.count == 1)
    let other = AudioFileStream()
    #expect(throws: ContainerError.self) {
      try other.parse([UInt8](repeating: 0, count: 0x10000).span.bytes, into: &transcript)
    }
  }

  @Test func `does not believe one sync word`() {
    // A header whose packet is followed by nothing like it.
    var noise = [UInt8](repeating: 0, count: 5000)
    noise.replaceSubrange(1000..<1004, with: Synthesis.bigEndian(Synthesis.header(), 4))
    #expect(Self.error(noise)?.code == .unsupportedFileType)
    // Nor are two or three behind noise, then silence.
    for place in [1417, 1834] {
      noise.replaceSubrange(place..<place + 4, with: Synthesis.bigEndian(Synthesis.header(), 4))
      #expect(Self.error(noise)?.code == .unsupportedFileType)
    }
    let (transcript, _) = pushed(noise + Self.audio)
    #expect(transcript.packets.first?.byteOffset == 5000)
  }

  @Test func `takes no program for layer I`() {
    // As tables of jumps look: 16 ones every 64 bytes.
    let table = (0..<26).flatMap { _ in Synthesis.packet(Synthesis.header(layer: 3, bitRate: 2, rate: 1), 64) }
    #expect(pushed(table).0.packets.count == 26)
    #expect(Self.error([UInt8](repeating: 0, count: 0x4000) + table)?.code == .unsupportedFileType)
  }

  @Test(arguments: [0, 1, 2]) func `finds frames of free format by their distance`(padding: UInt32) {
    let packets = (0..<10).map { number in
      let isPadded = padding == 1 || padding == 2 && number % 2 == 0
      return Synthesis.packet(
        Synthesis.header(bitRate: 0, padding: isPadded ? 1 : 0), 700 + (isPadded ? 1 : 0), filler: 0x55)
    }
    let bytes = Array(packets.joined())
    #expect(Self.error(bytes) == nil)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.packets.map(\.byteCount) == packets.map(\.count))
    #expect(transcript.skips.isEmpty)
    #expect(stream.information.bitRate == (700 * 8 * 44100 + 576) / 1152)
    expectAgreement(bytes)
  }

  @Test func `finds long frames of free format, however they are cut`() {
    // Frames of 3000 bytes, and what looks like others inside the first.
    var bytes = [UInt8](repeating: 0, count: 7000)
    let header = Synthesis.bigEndian(Synthesis.header(bitRate: 0), 4)
    for place in [0, 3000, 6000] { bytes.replaceSubrange(place..<place + 4, with: header) }
    let inside = Array(Self.audio.prefix(2000))
    bytes.replaceSubrange(500..<500 + inside.count, with: inside)
    #expect(pushed(bytes).0.packets.map(\.byteCount) == [3000, 3000])
    `Any way of cutting gives the same events`.expectEqualForAllCuts(bytes, chunks: [1, 61, 1000])
    expectAgreement(bytes)
  }

  @Test func `reads layers I, II and III of MPEG-1, 2 and 2.5 by their own names`() throws {
    for (layerBits, layer, type, format) in [
      (3, 1, .mp1, .mpegLayer1), (2, 2, .mp2, .mpegLayer2), (1, 3, .mp3, .mpegLayer3),
    ] as [(UInt32, Int, AudioFileTypeID, AudioFormatID)] {
      for (version, divisor) in [(3, 1), (2, 2), (0, 4)] as [(UInt32, Int)] {
        for mode in 0...3 as ClosedRange<UInt32> {
          let header = Synthesis.header(version: version, layer: layerBits, bitRate: 8, mode: mode)
          let kilobits = version == 3 ? [256, 128, 112][layer - 1] : [128, 64, 64][layer - 1]
          let size =
            layer == 1
            ? 12 * kilobits * 1000 * divisor / 44100 * 4
            : (layer == 3 && version != 3 ? 72 : 144) * kilobits * 1000 * divisor / 44100
          let (transcript, stream) = pushed(Array(repeatElement(Synthesis.packet(header, size), count: 5).joined()))
          #expect(transcript.packets.count == 5)
          #expect(stream.information.fileType == type)
          #expect(stream.information.dataFormat?.formatID == format)
          #expect(stream.information.dataFormat?.sampleRate == Double(44100 / divisor))
          #expect(stream.information.dataFormat?.channelsPerFrame == (mode == 3 ? 1 : 2))
        }
      }
    }
  }

  // MARK: Names

  @Test(arguments: [
    ("mp3", "MPG3"), ("mp2", "MPG2"), ("mp1", "MPG1"), ("aac", "adts"), ("adts", "adts"), ("m4a", "m4af"),
    ("m4r", "m4af"), ("m4b", "m4bf"), ("mp4", "mp4f"), ("mpg4", "mp4f"), ("3gp", "3gpp"), ("3gpp", "3gpp"),
    ("3g2", "3gp2"), ("caf", "caff"), ("aif", "AIFF"), ("aiff", "AIFF"), ("aifc", "AIFC"), ("wav", "WAVE"),
    ("wave", "WAVE"), ("bwf", "WAVE"), ("au", "NeXT"), ("snd", "NeXT"), ("ulw", "NeXT"), ("ac3", "ac-3"),
    ("amr", "amrf"), ("flac", "flac"), ("sd2", "Sd2f"), ("MP3", "MPG3"),
  ]) func `knows types by extension`(name: String, code: String) {
    #expect(AudioFileTypeID.types(forExtension: name).first?.description == code)
    #expect(AudioFileTypeID.hint(mimeType: nil, url: "http://host/a.b/c.\(name)?x=y.wav#z.aif")?.description == code)
  }

  @Test(arguments: [
    ("audio/mpeg", "MPG3"), ("audio/mp3", "MPG3"), ("audio/x-mp3", "MPG3"), ("audio/mpeg3", "MPG3"),
    ("audio/x-mpeg", "MPG3"), ("AUDIO/MPEG; charset=x", "MPG3"), ("audio/aac", "adts"), ("audio/aacp", "adts"),
    ("audio/x-aac", "adts"), ("audio/mp4", "m4af"), ("audio/m4a", "m4af"), ("audio/x-m4a", "m4af"),
    ("video/mp4", "m4af"), ("audio/3gpp", "3gpp"), ("video/3gpp", "3gpp"), ("audio/3gpp2", "3gp2"),
    ("audio/x-caf", "caff"), ("audio/aiff", "AIFF"), ("audio/x-aiff", "AIFF"), ("audio/wav", "WAVE"),
    ("audio/x-wav", "WAVE"), ("audio/wave", "WAVE"), ("audio/vnd.wave", "WAVE"), ("audio/basic", "NeXT"),
    ("audio/ac3", "ac-3"), ("audio/amr", "amrf"), ("audio/flac", "flac"), ("audio/x-flac", "flac"),
  ]) func `knows types by MIME type`(name: String, code: String) {
    #expect(AudioFileTypeID.types(forMIMEType: name).first?.description == code)
    #expect(AudioFileTypeID.hint(mimeType: name, url: "http://host/file.sd2")?.description == code)
  }

  @Test(arguments: [
    ("public.mp3", "MPG3"), ("public.aiff-audio", "AIFF"), ("com.apple.coreaudio-format", "caff"),
    ("public.mpeg-4-audio", "mp4f"), ("com.apple.m4a-audio", "m4af"), ("com.microsoft.waveform-audio", "WAVE"),
    ("public.aac-audio", "adts"), ("org.xiph.flac", "flac"), ("public.ulaw-audio", "NeXT"),
  ]) func `knows types by Apple's identifiers, and the identifiers of types`(
    name: String, code: String
  ) throws {
    let type = try #require(AudioFileTypeID.types(forUniformType: name).first)
    #expect(type.description == code && type.uniformType == name)
    #expect(AudioFileTypeID.types(forUniformType: name.uppercased()).first == type)
    #expect(AudioFileTypeID.types(forUniformType: "public.movie").isEmpty && AudioFileTypeID.ogg.uniformType == nil)
  }

  @Test func `lists the types that it reads, each with its extensions`() {
    let unreadable: Set<AudioFileTypeID> = [.soundDesigner2, .loas]
    #expect(unreadable.isDisjoint(with: AudioFileTypeID.readableTypes))
    #expect(Set(AudioFileTypeID.table.map(\.type)) == unreadable.union(AudioFileTypeID.readableTypes))
    #expect(AudioFileTypeID.readableTypes.allSatisfy { !$0.fileExtensions.isEmpty && !$0.mimeTypes.isEmpty })
  }

  @Test func `gives no hint for unknown names`() {
    for (mimeType, url) in [
      (nil, "http://host/"), (nil, "http://host.mp3/stream"), ("application/octet-stream", "http://host/stream"),
      (nil, ""), ("", "mp3"), (nil, "x."),
    ] as [(String?, String)] { #expect(AudioFileTypeID.hint(mimeType: mimeType, url: url) == nil) }
    #expect(AudioFileTypeID.hint(mimeType: "application/octet-stream", url: "/a.flac") == .flac)
    #expect(AudioFileTypeID.types(forExtension: "txt").isEmpty)
  }

  @Test func `has a name for each of the 17 types and more`() {
    let all: [AudioFileTypeID] = [
      .aiff, .aifc, .wave, .soundDesigner2, .next, .mp3, .mp2, .mp1, .ac3, .adts, .mp4, .m4a, .m4b, .caf, .threeGP,
      .threeGP2, .amr,
    ]
    let codes = "AIFF AIFC WAVE Sd2f NeXT MPG3 MPG2 MPG1 ac-3 adts mp4f m4af m4bf caff 3gpp 3gp2 amrf"
    #expect(all.map(\.description) == codes.split(separator: " ").map(String.init))
    for type in all { #expect(!type.fileExtensions.isEmpty) }
    #expect(AudioFileTypeID.mp3.mimeTypes.first == "audio/mpeg")
  }

  @Test(
    arguments: [
      (.unsupportedFileType, 1_954_115_647), (.unsupportedDataFormat, 1_718_449_215),
      (.unsupportedProperty, 1_886_681_407),
      (.badPropertySize, 561_211_770), (.notOptimized, 1_869_640_813), (.invalidPacketOffset, 1_885_563_711),
      (.invalidFile, 1_685_348_671), (.valueUnknown, 1_970_170_687), (.dataUnavailable, 1_836_020_325),
      (.illegalOperation, 1_852_797_029), (.unspecified, 2_003_334_207), (.discontinuityCantRecover, 1_685_283_617),
      (.permissions, 1_886_547_263), (.invalidChunk, 1_667_787_583), (.doesNotAllow64BitDataSize, 1_868_981_823),
      (.operationNotSupported, 0x6f70_3f3f), (.endOfFile, -39), (.badPosition, -40), (.fileNotFound, -43),
      (.badParameter, -50),
      (.notOpen, -38),
    ] as [(ContainerError.Code, Int32)]) func `numbers failures as the stack does`(
      code: ContainerError.Code, number: Int32
    )
  { #expect(code.rawValue == number) }

  @Test func `reports failures in one line with code and place`() {
    #expect(ContainerError.Code.unsupportedFileType.description == "'typ?'")
    #expect(ContainerError.Code.endOfFile.description == "-39")
    #expect(ContainerError(.invalidFile, at: 7, "a hole").description == "a hole ('dta?', byte offset 7)")
    #expect(ContainerError(.invalidPacketOffset, "no such").description == "no such ('pck?')")
  }

  @Test(arguments: [
    "foreign-mp3.mka", "foreign-aac.mka", "foreign-mp3.ts", "foreign-aac.ts", "foreign-ac3.ts", "foreign.m2ts",
    "foreign-mp3.mpg", "foreign-mp2.mpg", "foreign-mp3.flv", "foreign-aac.flv", "foreign-mp3.avi", "foreign-mp3.nut",
    "foreign.wma", "foreign.wv", "foreign.tta",
  ])
  func `does not take frames in files of other types for the file`(name: String) {
    let bytes = Fixtures.bytes(name)
    let chanceTypes: [AudioFileTypeID?] = [.mp1, .mp2, .mp3, .adts, .ac3]
    for hint in [nil, AudioFileTypeID.mp3, .adts] {
      let (transcript, stream) = pushed(bytes, typeHint: hint)
      #expect(!chanceTypes.contains(stream.information.fileType))
      #expect(transcript.error?.expectation.contains("free format") != true)
    }
  }

  @Test func `does not take headers of free format in noise for MPEG audio`() {
    var noise = [UInt8](repeating: 0, count: 9000)
    for place in [1000, 1400, 1800, 2200] { noise.replaceSubrange(place..<place + 4, with: [0xff, 0xfb, 0x00, 0x64]) }
    #expect(Self.error(noise)?.expectation == "not an audio file, or of a type that segue does not know")
  }

  @Test func `names a text file, and asks for no library`() {
    for hint in [nil, AudioFileTypeID.mp3, .ac3, .wave] {
      for text in ["hello\n", "Noms: \u{e9}t\u{e9}\r\n\tand more", "x" + String(repeating: "\u{e9}", count: 300)] {
        let error = Self.error(Array(text.utf8), typeHint: hint)
        #expect(error?.expectation == "not an audio file, but a text file")
        #expect(error?.isNotAudio == true)
      }
    }
    for page in ["<html><body>Listen to us!", "\u{feff}\n <!DOCTYPE HTML>\n<title>Radio"] {
      #expect(Self.error(Array(page.utf8))?.expectation == "not an audio file, but a web page")
    }
    // A control character, and bytes that are not UTF-8.
    #expect(Self.error(Array("hello\n".utf8) + [0, 1, 2])?.isNotAudio == false)
    #expect(Self.error([0xd2, 0x5a] + [UInt8](repeating: 0x49, count: 600))?.isNotAudio == false)
  }

  @Test func `believes one frame that is all there is, not one that is followed by something else`() {
    let frame = Array(Self.audio[..<417])
    let tag = Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)
    #expect(pushed(frame).0.packets.count == 1)
    #expect(pushed(frame + tag).0.packets.count == 1)
    #expect(Self.error(frame + tag + tag + [1])?.code == .unsupportedFileType)
    #expect(Self.error([UInt8](repeating: 0, count: 100) + frame)?.code == .unsupportedFileType)
  }
}
