@testable import ALSAOutput
import AudioModel
import Testing

@Suite struct `The list of cards` {
  private let cards = SoundCards(
    cards: """
       0 [PCH            ]: HDA-Intel - HDA Intel PCH
                            HDA Intel PCH at 0xf7200000 irq 31
       1 [C920           ]: USB-Audio - HD Pro Webcam C920
                            HD Pro Webcam C920 at usb-0000:00:14.0-1, high speed
       2 [DAC            ]: USB-Audio - Topping - E30 DAC
                            Topping E30 DAC at usb-0000:00:14.0-2, high speed
      """,
    devices: """
      00-00: ALC892 Analog : ALC892 Analog : playback 1 : capture 1
      00-03: HDMI 0 : HDMI 0 : playback 1
      01-00: USB Audio : USB Audio : capture 1
      02-00: USB Audio : USB Audio : playback 1
      """)

  @Test func `devices that play have ALSA's names, and those of card and device`() {
    #expect(cards.devices.map(\.name) == ["hw:CARD=PCH,DEV=0", "hw:CARD=PCH,DEV=3", "hw:CARD=DAC,DEV=0"])
    #expect(
      cards.devices.map(\.description) == [
        "HDA Intel PCH, ALC892 Analog", "HDA Intel PCH, HDMI 0", "Topping - E30 DAC, USB Audio",
      ])
    #expect(cards.devices.map(\.card) == [0, 0, 2])
  }

  @Test(
    arguments: [
      ("hw:CARD=DAC,DEV=0", 2), ("plughw:DAC", 2), ("hw:1,0", 1), ("hw:CARD=0", 0), ("default", nil), ("hw:NONE", nil),
      ("null", nil), ("hw:", nil),
    ] as [(String, Int32?)])
  func `a name leads to its card`(name: String, card: Int32?) { #expect(cards.card(ofDevice: name) == card) }

  @Test(arguments: ["", "\n", "no cards", " 0 [", "0 []:", "-", "00-00", "00-00:", "99-0: a : b : playback 1"])
  func `other text is no card`(text: String) { #expect(SoundCards(cards: text, devices: text).devices == []) }
}

@Suite struct `Samples for a device` {
  @Test(
    arguments: [
      (0x3, 2, [0, 1]), (0x4, 1, [0]), (0x7, 3, [0, 1, 2]), (0x33, 4, [0, 1, 2, 3]), (0x3f, 6, [0, 1, 4, 5, 2, 3]),
      (0x60f, 6, [0, 1, 4, 5, 2, 3]), (0x63f, 8, [0, 1, 4, 5, 2, 3, 6, 7]), (0, 9, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ] as [(UInt32, Int, [Int])])
  func `channels are in ALSA's order`(speakers: UInt32, count: Int, order: [Int]) {
    #expect(FrameConversion.channels(speakers: speakers, count: count) == order)
  }

  private func converted<Sample>(
    _ samples: [Sample], _ format: PCMFormat.SampleFormat, to target: DeviceSamples, gain: Double = 1
  ) -> [UInt8] {
    let format = PCMFormat(sampleRate: 44100, channelCount: 1, sampleFormat: format)
    var bytes = [UInt8](repeating: 0xaa, count: samples.count * target.byteCount)
    samples.withUnsafeBytes { source in
      bytes.withUnsafeMutableBytes { FrameConversion(format, to: target).convert(source, into: $0, gain: gain) }
    }
    return bytes
  }

  @Test func `each sample of 16 bits has the same value in every wider format`() {
    let samples = (-32768...32767).map { Int16($0) }
    #expect(
      converted(samples, .s16, to: .s16)
        == samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    #expect(converted(samples, .s16, to: .s32).count == samples.count * 4)
    for (index, sample) in samples.enumerated() where index % 97 == 0 {
      let (low, high) = (UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8))
      #expect(converted([sample], .s16, to: .s32) == [0, 0, low, high])
      #expect(converted([sample], .s16, to: .s24) == [0, low, high])
      #expect(converted([sample], .s16, to: .s24in32) == [0, low, high, sample < 0 ? 0xff : 0])
    }
  }

  @Test func `samples of 24 and 32 bits, and floats, keep their values`() {
    for sample in [0, 1, -1, 0x7fffff, -0x800000, 0x123456, -0x123456] as [Int32] {
      let bytes = (0..<3).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) }
      // What lies above the 24 bits is not part of the sample.
      #expect(converted([sample & 0xffffff], .s24in32, to: .s24) == bytes)
      #expect(converted([sample], .s24in32, to: .s32) == [0] + bytes)
    }
    for sample in [0, 1, -1, .max, .min, 0x1234_5678] as [Int32] {
      #expect(converted([sample], .s32, to: .s32) == (0..<4).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) })
    }
    #expect(converted([1, -1, 2] as [Float], .f32, to: .s16) == [255, 127, 0, 128, 255, 127])
    // NaN and infinity are silent at every gain.
    for gain in [0, 1] as [Double] {
      #expect(converted([.infinity, -.infinity, .nan] as [Float], .f32, to: .s16, gain: gain) == [0, 0, 0, 0, 0, 0])
    }
  }

  @Test func `a gain multiplies`() {
    #expect(converted([1000, -1000] as [Int16], .s16, to: .s16, gain: 0.5) == [244, 1, 12, 254])
    #expect(converted([1000] as [Int16], .s16, to: .s16, gain: 0) == [0, 0])
  }

  @Test func `formats that hold every sample are known`() {
    #expect(DeviceSamples.s32.holds(.s16) && DeviceSamples.s24.holds(.s24in32) && DeviceSamples.f32.holds(.s24in32))
    #expect(!DeviceSamples.s16.holds(.s24in32) && !DeviceSamples.f32.holds(.s32) && !DeviceSamples.s32.holds(.f32))
    for format in [.s16, .s24in32, .s32, .f32] as [PCMFormat.SampleFormat] {
      #expect(DeviceSamples.choices(for: format).first == DeviceSamples(of: format))
    }
  }
}
