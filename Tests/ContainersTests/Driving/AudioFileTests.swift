import AudioModel
import ByteIO
import Glibc
import Testing

@testable import Containers

@Suite struct `The file reader` {
  static let packets = Synthesis.packets(300)
  /// Two packets, noise, and the rest.
  static let bytes = Array(packets[..<2].joined()) + [9, 9, 9] + Array(packets[2...].joined())

  static func open(_ bytes: [UInt8] = bytes) throws -> AudioFile { try AudioFile(source: AwkwardSource(bytes)) }

  static func read(_ file: AudioFile, _ packet: Int64, count: Int, capacity: Int) throws(ContainerError)
    -> (AudioFile.PacketRead, [UInt8])
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
    defer { buffer.deallocate() }
    let read = try file.readPacketData(startPacket: packet, count: count, into: buffer)
    return (read, Array(buffer[..<read.byteCount]))
  }

  static func code(_ body: () throws(ContainerError) -> Void) -> ContainerError.Code? {
    do throws(ContainerError) { try body() } catch { return error.code }
    return nil
  }

  @Test func `gives consecutive packets from any place`() throws {
    let file = try Self.open()
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<300 {
      let first = Int.random(in: 0..<300, using: &generator)
      let count = Int.random(in: 1...40, using: &generator)
      let (read, bytes) = try Self.read(file, Int64(first), count: count, capacity: 40 * 418)
      let expected = Self.packets[first..<min(300, first + count)]
      #expect(bytes == Array(expected.joined()))
      #expect(read.packets.map(\.byteCount) == expected.map(\.count))
      let place = Self.packets[..<first].joined().count + (first < 2 ? 0 : 3)
      #expect(read.packets.first?.byteOffset == Int64(place))
      #expect(try file.byteOffset(ofPacket: Int64(first)) == Int64(place))
    }
  }

  @Test func `gives as many packets as fit, and all of each`() throws {
    let file = try Self.open()
    let (read, bytes) = try Self.read(file, 10, count: 20, capacity: 417 + 418 + 417 + 417)
    #expect(read.packets.count == 3 && !read.isAtEnd)
    #expect(bytes == Array(Self.packets[10...12].joined()))
    // And continues with the one that did not fit.
    #expect(try Self.read(file, 13, count: 1, capacity: 418).1 == Self.packets[13])
  }

  @Test func `describes the packets in the buffer, as many as fit`() throws {
    let file = try Self.open()
    var buffer = [UInt8](repeating: 0, count: 417 + 418 + 417 + 416)
    let read = try buffer.withUnsafeMutableBytes { try file.readPackets(startPacket: 10, count: 20, into: $0) }
    let expected = Self.packets[10...12]
    #expect(read.packetCount == 3 && read.byteCount == expected.joined().count && !read.isAtEnd)
    for (packet, bytes) in zip(read.packets, expected) {
      let place = Int(packet.byteOffset)
      #expect(Array(buffer[place..<place + packet.byteCount]) == bytes)
      #expect(packet.frameCount == 1152)
    }
    let error = #expect(throws: ContainerError.self) {
      try buffer.withUnsafeMutableBytes {
        try file.readPackets(startPacket: 10, count: 1, into: .init(rebasing: $0[..<100]))
      }
    }
    #expect(error?.code == .badParameter)
    #expect(error?.expectation == "the packet needs a buffer of \(Self.packets[10].count) bytes, not 100")
  }

  @Test func `counts whole packets, fewer at the end and none past it`() throws {
    let header = Array("RIFF\u{2c}\0\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0".utf8)
    let file = try Self.open(
      header + [0x44, 0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0] + Array("data\u{9}\0\0\0".utf8) + [
        1, 2, 3, 4, 5, 6, 7, 8, 9,
      ])
    var buffer = [UInt8](repeating: 0, count: 7)
    for (start, packets) in [(0, 3), (1, 3), (2, 2), (4, 0), (1000, 0)] {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPackets(startPacket: Int64(start), count: 9, into: $0)
      }
      #expect(read.packetCount == packets && read.byteCount == 2 * packets)
      #expect(buffer.prefix(2 * packets) == [1, 2, 3, 4, 5, 6, 7, 8][min(8, 2 * start)...].prefix(2 * packets))
    }
  }

  @Test func `refuses invalid requests`() throws {
    let file = try Self.open()
    typealias Failure = ContainerError
    #expect(Self.code { () throws(Failure) in _ = try Self.read(file, 0, count: 0, capacity: 9999) } == .badParameter)
    #expect(Self.code { () throws(Failure) in _ = try Self.read(file, 0, count: 1, capacity: 0) } == .badParameter)
    #expect(Self.code { () throws(Failure) in _ = try Self.read(file, 0, count: 1, capacity: 416) } == .badParameter)
    #expect(
      Self.code { () throws(Failure) in _ = try Self.read(file, -1, count: 1, capacity: 999) } == .invalidPacketOffset)
    #expect(Self.code { () throws(Failure) in _ = try file.byteOffset(ofPacket: 300) } == .invalidPacketOffset)
    #expect(try Self.read(file, 0, count: 1, capacity: 417).1 == Self.packets[0])
  }

  @Test func `reports the end, with the last packets or without any`() throws {
    let file = try Self.open()
    let (last, _) = try Self.read(file, 298, count: 20, capacity: 9999)
    #expect(last.packets.count == 2 && last.isAtEnd)
    for packet in [300, 301, 5000, .max] as [Int64] {
      let (read, bytes) = try Self.read(file, packet, count: 1, capacity: 9999)
      #expect(read == AudioFile.PacketRead(isAtEnd: true) && bytes.isEmpty)
    }
    // An end without packets comes, where the last read was full.
    #expect(try !Self.read(file, 299, count: 1, capacity: 9999).0.isAtEnd)
    #expect(try Self.read(file, 300, count: 1, capacity: 9999).0.isAtEnd)
  }

  @Test func `never gives an incomplete last packet, and reports its bytes`() throws {
    let file = try Self.open(Array(Self.bytes.dropLast(1)))
    let (read, _) = try Self.read(file, 298, count: 20, capacity: 9999)
    #expect(read.packets.count == 1)
    #expect(try file.advanceIndex())
    #expect(file.packetIndex.skippedByteCount == 3 + Int64(Self.packets[299].count) - 1)
    #expect(file.packetIndex.firstSkippedByteOffset == 835)
    #expect(file.information.audioDataByteCount == Int64(Self.packets[..<299].joined().count))
  }

  @Test func `reads bytes from the data offset on, to the tags at the end`() throws {
    let tag = Synthesis.id3v1(title: "x")
    let front = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("y"))])
    let file = try Self.open(front + Self.bytes + tag)
    var buffer = [UInt8](repeating: 0, count: 1000)
    func read(_ offset: Int64) throws -> Int {
      try buffer.withUnsafeMutableBytes { try file.readBytes(at: offset, into: $0) }
    }
    #expect(try read(0) == 1000)
    #expect(buffer == Array(Self.bytes[..<1000]))
    let end = Int64(Self.bytes.count)
    #expect(try read(end - 10) == 10)
    #expect(buffer[..<10] == Self.bytes.suffix(10))
    for offset in [end, end + 1, .max] as [Int64] { #expect(try read(offset) == 0) }
    #expect(
      Self.code { () throws(ContainerError) in _ = try file.readBytes(at: -1, into: .init(start: nil, count: 0)) }
        == .badPosition)
  }

  @Test func `reads no bytes after the audio, and those that were added to it`() throws {
    let samples = ChunkSynthesis.samples(400)
    let wave = ChunkSynthesis.wave(
      [ChunkSynthesis.fmt(), ("data", samples), ChunkSynthesis.list([("INAM", "Title")])])
    var buffer = [UInt8](repeating: 0, count: 1000)
    func read(_ file: AudioFile, _ offset: Int64) throws -> [UInt8] {
      let count = try buffer.withUnsafeMutableBytes { try file.readBytes(at: offset, into: $0) }
      return Array(buffer.prefix(count))
    }
    let whole = try Self.open(wave)
    #expect(try read(whole, 0) == samples)
    #expect(try read(whole, 390) == Array(samples.suffix(10)))
    #expect(try read(whole, 400) == [])
    let source = GrowingSource(Self.bytes, promisesAll: false)
    source.grow(by: 2000)
    let file = try AudioFile(source: source)
    #expect(try read(file, 1900).count <= 100)
    source.grow(by: .max)
    #expect(try read(file, 1900) == Array(Self.bytes[1900..<2900]))
  }

  @Test(
    arguments: [(ENOENT, .fileNotFound), (EACCES, .permissions), (EPERM, .permissions), (EIO, .unspecified)]
      as [(Int32, ContainerError.Code)])
  func `maps errors of the system to those of the stack`(errno: Int32, code: ContainerError.Code) {
    let error = ContainerError(ByteIOError(operation: "open", errno: errno))
    #expect(error.code == code && error.cause?.errno == errno)
  }

  @Test func `finds all packets a little at a time`() throws {
    let bytes = Array(Synthesis.packets(3000).joined())
    let file = try Self.open(bytes)
    var (rounds, known) = (0, file.packetIndex.packetCount)
    while try !file.advanceIndex(byteBudget: 10000) {
      rounds += 1
      #expect(file.packetIndex.packetCount - known <= 25)
      known = file.packetIndex.packetCount
      #expect(file.information.durationIsEstimated)
    }
    #expect(rounds > 100)
    #expect(file.packetIndex.packetCount == 3000)
    #expect(file.information.duration == 3_456_000.0 / 44100)
    #expect(file.information.packetCount == 3000 && file.information.maximumPacketSize == 418)
    #expect(!file.information.durationIsEstimated)
    #expect(try file.advanceIndex(byteBudget: 0))
  }

  @Test func `takes over an index that another thread made`() throws {
    let bytes = Array(Synthesis.packets(3000).joined())
    let (one, other) = (try Self.open(bytes), try Self.open(bytes))
    #expect(try !one.advanceIndex(byteBudget: 200_000))
    other.adopt(one.packetIndex)
    #expect(other.packetIndex == one.packetIndex)
    #expect(try other.advanceIndex() && one.advanceIndex())
    #expect(other.packetIndex == one.packetIndex)
  }

  @Test func `turns packets into frames and back`() throws {
    let file = try Self.open()
    for packet in [0, 1, 299] as [Int64] {
      #expect(try file.frame(ofPacket: packet) == packet * 1152)
      #expect(try file.packet(containingFrame: packet * 1152) == (packet, 0))
      #expect(try file.packet(containingFrame: packet * 1152 + 1151) == (packet, 1151))
    }
    #expect(
      Self.code { () throws(ContainerError) in _ = try file.packet(containingFrame: 300 * 1152) }
        == .invalidPacketOffset)
    #expect(Self.code { () throws(ContainerError) in _ = try file.packet(containingFrame: -1) } == .invalidPacketOffset)
  }

  @Test func `passes a failed read on, with its place, and can continue after it`() throws {
    let error = #expect(throws: ContainerError.self) {
      try AudioFile(source: AwkwardSource(Self.bytes, faults: .failing))
    }
    #expect(error?.code == .unspecified)
    #expect(error?.cause?.errno == 5)
    #expect(error?.byteOffset == 0)
    #expect(error?.description == "cannot read: Input/output error ('wht?', byte offset 0)")
  }

  @Test func `reports the reason why a file cannot be opened`() throws {
    func code(_ path: BytePath) -> ContainerError.Code? {
      Self.code { () throws(ContainerError) in _ = try AudioFile(path: path) }
    }
    #expect(code(BytePath("/nowhere/at all.mp3")) == .fileNotFound)
    #expect(code(BytePath("/")) == .unspecified)
    #expect(code(BytePath("/dev/null")) == .unspecified)
    // A name that is no UTF-8.
    let folder = "/tmp/containers-tests-\(getpid())"
    let path = BytePath(Array(folder.utf8) + Array("/\u{1}".utf8) + [0xff, 0xfe] + Array(".mp3".utf8))
    mkdir(folder, 0o700)
    defer {
      _ = path.withCString { unlink($0) }
      rmdir(folder)
    }
    let file = try #require(path.withCString { fopen($0, "wb") })
    fwrite(Self.bytes, 1, Self.bytes.count, file)
    fclose(file)
    #expect(try AudioFile(path: path).packetIndex.packetCount > 0)
    if geteuid() != 0 {
      _ = path.withCString { chmod($0, 0) }
      #expect(code(path) == .permissions)
    }
  }

  // MARK: Before a seek

  @Test(arguments: [
    // Deepest reservoir, packets before any other.
    (0, 2), (1, 3), (381, 3), (382, 4), (511, 4),
  ]) func `gives the number of packets to decode first`(reservoir: Int, packetCount: Int) throws {
    // 417 bytes hold 417 - 4 - 32 = 381 of main data.
    let file = try Self.open(Array(Synthesis.packets(100, reservoirByteCount: reservoir).joined()))
    #expect(file.prerollPacketCount == packetCount)
    #expect(
      pushed(Array(Synthesis.packets(100, reservoirByteCount: reservoir).joined())).1.prerollPacketCount == packetCount)
  }

  @Test func `needs one earlier packet in layer II, whose filters have memory`() throws {
    let packets = (0..<20).map { _ in Synthesis.packet(Synthesis.header(layer: 2, bitRate: 8), 417) }
    #expect(try Self.open(Array(packets.joined())).prerollPacketCount == 1)
  }

  @Test(
    .enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"),
    arguments: Fixtures.names(endingIn: ".mp3").filter { $0.hasPrefix("lame-") || $0.hasPrefix("vbr-") })
  func `asks for enough packets that no reservoir is missing a byte, in real files`(name: String) throws {
    let file = try AudioFile(path: BytePath(Fixtures.folder + "/" + name))
    #expect(try file.advanceIndex())
    var buffer = [UInt8](repeating: 0, count: 2000)
    var use: [(needed: Int, lent: Int)] = []
    for packet in 0..<min(file.packetIndex.packetCount, 300) {
      _ = try buffer.withUnsafeMutableBytes { try file.readPacketData(startPacket: packet, count: 1, into: $0) }
      let header = try #require(MPEGFrameHeader(bits: buffer.span.bytes.bigEndian32(at: 0)))
      let start = header.hasCRC ? 6 : 4
      let needed = header.isMPEG1 ? Int(buffer[start]) << 1 | Int(buffer[start + 1]) >> 7 : Int(buffer[start])
      use.append((needed, header.byteCount - start - header.sideInformationByteCount))
    }
    let preroll = file.prerollPacketCount
    for packet in preroll..<use.count {
      // The two before it must be whole themselves.
      for dependency in packet - 2...packet {
        #expect(use[packet - preroll..<dependency].reduce(0) { $0 + $1.lent } >= use[dependency].needed)
      }
    }
    #expect(preroll <= 2 + 128)
  }
}
