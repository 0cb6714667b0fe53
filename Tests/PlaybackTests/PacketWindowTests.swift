import AudioModel
import Containers
import Testing

@testable import Playback

/// The parts of `PacketReader` without an input.
struct PacketWindowTests {
  /// Packets 4, 5 and 6 of ten frames each, with one byte each.
  private var window: PacketWindow {
    var window = PacketWindow()
    window.restart(atFrame: 40)
    for index in 4..<7 {
      let packet = PacketDescription(byteOffset: Int64(index), byteCount: 1, frameCount: 10)
      window.batch.append(packet, index: Int64(index), bytes: [UInt8(index)])
    }
    return window
  }

  @Test func `packets come in order, with their frames and bytes`() {
    var window = window
    #expect(window.frameCountAhead == 30)
    let (first, second) = (window.next(), window.next())
    #expect(first?.index == 4 && first?.startFrame == 40 && second?.index == 5 && second?.startFrame == 50)
    #expect(window.withBytes { $0.unsafeLoad(as: UInt8.self) } == 5)
    #expect(window.frame == 60 && window.frameCountAhead == 10)
    #expect(window.next()?.index == 6 && window.next() == nil)
  }

  @Test func `packets before the wanted one, or before the wanted frame, are skipped`() {
    var (byPacket, byFrame) = (window, window)
    byPacket.want(packet: 5, frame: 0)
    byFrame.want(packet: 0, frame: 55)
    #expect(byPacket.next()?.index == 5 && byFrame.next()?.startFrame == 50)
  }

  @Test func `a step back returns packets of the window again`() {
    var window = window
    while window.next() != nil {}
    #expect(window.contains(4) && !window.contains(3) && !window.contains(7))
    window.want(packet: 5, frame: 0)
    window.stepBack(to: 5)
    #expect(window.next()?.startFrame == 50)
  }

  @Test func `an estimate of bytes is limited for any number of seconds`() {
    let index = PacketIndex(packetCount: 1, byteCount: 96_000, frameCount: 1000, endOffset: 96_000, isComplete: false)
    var information = MediaInformation()
    information.dataFormat = AudioStreamBasicDescription(
      sampleRate: 1000, formatID: .linearPCM, bytesPerPacket: 2, framesPerPacket: 1, bytesPerFrame: 2,
      channelsPerFrame: 1, bitsPerChannel: 16)
    let estimate = ByteEstimate(index, information, frameFactor: 1)
    #expect(estimate.bytesPerSecond == 96_000 && estimate.byteCount(ofSeconds: 2) == 192_000)
    #expect(estimate.byteCount(ofSeconds: .infinity) == 1 << 60 && estimate.byteCount(ofSeconds: .nan) == 0)
  }
}
