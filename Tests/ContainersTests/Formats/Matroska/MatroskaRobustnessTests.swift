import AudioModel
import Testing

@testable import Containers

/// However Matroska files are cut, read and damaged.
@Suite struct `Matroska cut and damaged` {
  typealias Make = MatroskaSynthesis

  /// Small files with all there is.
  static let small: [(name: String, bytes: [UInt8])] = {
    let packets = Make.opus(9)
    let stripped = Make.element(
      0x6d80, Make.element(0x6240, Make.element(0x5034, Make.unsigned(0x4254, 3), Make.element(0x4255, [0x98]))))
    let tags = Make.element(
      0x1254_c367,
      Make.element(
        0x7373, Make.element(0x63c0, Make.unsigned(0x68ca, 30)),
        Make.element(0x67c8, Make.text(0x45a3, "ARTIST"), Make.text(0x4487, "Someone"))))
    let picture = Make.element(
      0x1941_a469,
      Make.element(
        0x61a7, Make.text(0x466e, "cover.jpg"), Make.text(0x4660, "image/jpeg"),
        Make.element(0x465c, [UInt8](repeating: 0xd8, count: 200))))
    let chapters = Make.element(
      0x1043_a770, Make.element(0x45b9, Make.element(0xb6, Make.unsigned(0x91, 5_000_000))))
    let laced = (1...3).map { lacing in
      Make.simple(packets[0], packets[7], packets[0], time: 60 * Int(lacing), lacing: UInt8(lacing))
    }
    let other = Make.simple([UInt8](repeating: 7, count: 90), track: 2)
    let audio = Make.element(0xe1, Make.float(0xb5, 8000), Make.unsigned(0x9f, 2), Make.unsigned(0x6264, 16))
    let linear = Make.element(
      0xae, Make.unsigned(0xd7, 1), Make.unsigned(0x83, 2), Make.text(0x86, "A_PCM/INT/LIT"), audio)
    let samples = FLACSynthesis.noise(200, 3)
    return [
      (
        "plain",
        Make.file(
          info: Make.info(duration: 180), picture, chapters,
          Make.cluster(0, Make.blocks(Array(packets[..<5])), other),
          Make.cluster(
            100, other, Make.blocks(Array(packets[5..<8])), Make.group(packets[8], time: 60, padding: 9_000_000)),
          tags)
      ),
      (
        "live",
        Make.file(
          type: "webm", isEndless: true, Make.cluster(0, Make.blocks(Array(packets[..<5])), isEndless: true),
          Make.cluster(900, Make.blocks(Array(packets[5...])), isEndless: true))
      ),
      ("laced", Make.file(Make.cluster(0, Make.simple(packets[1]), Array(laced.joined())))),
      (
        "stripped",
        Make.file(
          tracks: Make.tracks(Make.track(1, stripped)),
          Make.cluster(0, Make.blocks(packets.map { Array($0.dropFirst()) })), Make.element(0xec, [0]))
      ),
      (
        "PCM",
        Make.file(
          tracks: Make.tracks(linear),
          Make.cluster(0, Make.simple(samples), Make.simple(samples + [1])), Make.cluster(1000, Make.simple(samples)))
      ),
    ]
  }()

  @Test(arguments: small.map(\.name)) func `any way of cutting gives the same events`(name: String) throws {
    let bytes = try #require(Self.small.first { $0.name == name }?.bytes)
    #expect(pushed(bytes).0.error == nil)
    `Any way of cutting gives the same events`.expectEqualForAllCuts(bytes)
    `Any way of cutting gives the same events`.expectEqualForAllReads(bytes)
  }

  @Test(arguments: small.map(\.name)) func `cut at every byte gives the packets before the cut`(name: String) throws {
    let bytes = try #require(Self.small.first { $0.name == name }?.bytes)
    let whole = try #require(expectAgreement(bytes)?.packets)
    for count in bytes.indices {
      let comment: Comment = "cut at \(count)"
      guard let cut = expectAgreement(Array(bytes[..<count]), leftOut: 1, comment)?.packets else { continue }
      let leftOut: Int64 = name == "stripped" ? 1 : 0
      let complete = Array(whole.prefix { $0.byteOffset + Int64($0.byteCount) - leftOut <= count })
      #expect(cut.count <= complete.count && cut.count + 3 >= complete.count, "cut at \(count)")
    }
  }

  @Test func `with bits flipped, bytes taken out and put in`() {
    var generator = SeededGenerator(seed: 23)
    for round in 0..<`Damaged and random bytes`.rounds {
      let bytes = Self.small[round % Self.small.count].bytes
      expectAgreement(
        `Damaged and random bytes`.mutated(bytes, &generator), chunk: 1 + round % 999, leftOut: 64,
        "round \(round)")
    }
  }

  @Test func `with the largest size of each field`() {
    for (name, bytes) in Self.small {
      for place in stride(from: 4, to: bytes.count, by: 2) {
        for value in [0xff, 0x01, 0x80, 0x08] as [UInt8] {
          var damaged = bytes
          damaged[place] = value
          expectAgreement(damaged, leftOut: 64, "\(name), \(value) at \(place)")
        }
      }
    }
  }

  @Test func `claims take no memory, and no time`() throws {
    let far: [UInt8] = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]
    for id in [0x1549_a966, 0x1654_ae6b, 0x114d_9b74, 0x1254_c367, 0x1941_a469, 0x1c53_bb6b, 0xa3] as [UInt32] {
      let start = Make.head() + Make.endless(0x1853_8067, id == 0xa3 ? Make.info() + Make.tracks(Make.track()) : [])
      let cluster = id == 0xa3 ? Make.id(0x1f43_b675) + far : []
      let bytes = start + cluster + Make.id(id) + far + [UInt8](repeating: 0x81, count: 3000)
      let stream = AudioFileStream()
      var ignored = Transcript()
      do throws(ContainerError) { try stream.parse(bytes.span.bytes, into: &ignored) } catch {}
      #expect(stream.pending.count < 1 << 20)
      expectAgreement(bytes, "\(id)")
    }
    // Elements in each other to any depth.
    var deep: [UInt8] = []
    for _ in 0..<2000 { deep = Make.element(0x67c8, deep) }
    let tags = Make.element(0x1254_c367, Make.element(0x7373, deep))
    #expect(expectAgreement(Make.file(tags, Make.cluster(0, Make.blocks(Make.opus(3)))))?.packets.count == 3)
  }
}
