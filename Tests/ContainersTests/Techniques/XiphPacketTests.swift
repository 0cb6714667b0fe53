import Containers
import Testing

@Suite("The length of Xiph's packets")
struct XiphPacketTests {
  @Test(
    "an Opus packet's first bytes say its frames (RFC 6716 3.1)",
    arguments: [
      // SILK of 10 to 60 ms, hybrid of 10 and 20 ms, CELT of 2.5 to 20 ms; the stereo bit says nothing of time.
      ([0x00], 480), ([0x08], 960), ([0x10], 1920), ([0x18], 2880), ([0x58], 2880), ([0x60], 480), ([0x68], 960),
      ([0x70], 480), ([0x78], 960), ([0x80], 120), ([0x88], 240), ([0x90], 480), ([0x98], 960), ([0xfc], 960),
      // Two Opus frames, or as many as the second byte says in its low bits.
      ([0x99, 1, 1], 1920), ([0x9a, 1, 1], 1920), ([0x9b, 0x01], 960), ([0x9b, 0xc6], 5760), ([0x83, 48], 5760),
      ([0x1b, 2], 5760),
      // No bytes, no count, none, more than 120 ms.
      ([], nil), ([0x9b], nil), ([0x9b, 0xc0], nil), ([0x9b, 7], nil), ([0x83, 49], nil), ([0x1b, 3], nil),
    ] as [([UInt8], Int?)])
  func opus(packet: [UInt8], frameCount: Int?) {
    #expect(OpusPacket.frameCount(of: packet.span.bytes) == frameCount)
  }

  @Test("a Vorbis packet's mode says the size of its block (Vorbis I 4.3.1)")
  func vorbis() {
    #expect(sizes([true], packets: [[0], [0xfe], [1], []]) == [2048, 2048, nil, nil])
    #expect(sizes([false, true], packets: [[0], [2], [4], [0xff]]) == [256, 2048, 256, nil])
    #expect(sizes([false, true, true], packets: [[0], [2], [4], [6]]) == [256, 2048, 2048, nil])
    let many = (0..<64).map { $0 % 3 == 0 }
    #expect(sizes(many, packets: (0..<64).map { [$0 << 1] }) == many.map { $0 ? 2048 : 256 })
  }

  @Test("bytes before the modes, and zeros after them, do not matter", arguments: 0..<64)
  func surroundings(seed: Int) {
    let before = (0..<(200 + seed)).map { ($0 &* $0 &* 31 &+ seed) % 7 < 3 }
    #expect(sizes([true, false], before: before, packets: [[0], [2]]) == [2048, 256])
    #expect(sizes([true, false], before: before, zeroBytes: seed, packets: [[0], [2]]) == [2048, 256])
  }

  @Test("malformed headers, and headers that are cut anywhere, are refused")
  func refusals() {
    let setup = setup([false, true])
    for count in setup.indices { #expect(modes(identification(), Array(setup.prefix(count))) == nil) }
    for count in 0..<30 { #expect(modes(Array(identification().prefix(count)), setup) == nil) }
    for sizes: UInt8 in [0x8b, 0x85, 0xe8] { #expect(modes(identification(sizes), setup) == nil) }
    #expect(modes(setup, identification()) == nil)
    #expect(modes(identification(), Array("\u{5}vorbis".utf8) + [UInt8](repeating: 0, count: 1 << 16)) == nil)
    #expect(modes(identification(0x66), setup)?.longBlockSize == 64)
    #expect(modes(identification(0xd6), setup)?.longBlockSize == 8192)
  }

  private func sizes(
    _ isLong: [Bool], before: [Bool] = [], zeroBytes: Int = 0, packets: [[UInt8]]
  ) -> [Int?] {
    let modes = modes(identification(), setup(isLong, before: before) + [UInt8](repeating: 0, count: zeroBytes))
    return packets.map { packet in modes?.blockSize(ofPacket: packet.span.bytes) }
  }

  private func modes(_ identification: [UInt8], _ setup: [UInt8]) -> VorbisModes? {
    VorbisModes(identification: identification.span.bytes, setup: setup.span.bytes)
  }

  /// An identification header with blocks of 256 and 2048 frames.
  private func identification(_ sizes: UInt8 = 0xb8) -> [UInt8] {
    [1] + "vorbis".utf8 + [UInt8](repeating: 1, count: 21) + [sizes, 1]
  }

  /// A setup header that has modes, and bits of something before them.
  private func setup(_ isLong: [Bool], before: [Bool] = []) -> [UInt8] {
    func bits(_ value: Int, _ count: Int) -> [Bool] { (0..<count).map { value >> $0 & 1 == 1 } }
    var all = before + bits(isLong.count - 1, 6)
    for (index, flag) in isLong.enumerated() { all += [flag] + bits(0, 32) + bits(index % 2, 8) }
    all.append(true)
    var bytes = [5] + Array("vorbis".utf8)
    for start in stride(from: 0, to: all.count, by: 8) {
      bytes.append(all[start...].prefix(8).enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
    }
    return bytes
  }
}
