/// Extracts the audio of an MPEG transport stream (ISO/IEC 13818-1) that arrives in pieces of any size: AAC in ADTS or
/// MPEG audio of the first program. Pure; damaged and other packets are ignored.
struct TransportStream {
  static let packetByteCount = 188
  private static let sync: UInt8 = 0x47
  private static let tableByteLimit = 1024

  /// True if bytes begin with packets of a transport stream.
  static func begins(_ bytes: [UInt8]) -> Bool {
    bytes.count >= packetByteCount
      && stride(from: 0, to: min(bytes.count, 3 * packetByteCount), by: packetByteCount).allSatisfy {
        bytes[$0] == sync
      }
  }

  /// The start of an incomplete packet.
  private var pending: [UInt8] = []
  /// The table that is being read, and its PID.
  private var table: (pid: Int, bytes: [UInt8])?
  /// The PIDs of the program's table and of its audio.
  private var programPID: Int?
  private(set) var audioPID: Int?
  /// The bytes of a PES packet's header so far; `nil` after the header.
  private var header: [UInt8]? = []
  private var counter: UInt8?
  /// The time of the first PES packet of the segment: 90,000 units per second, 33 bits.
  var time: UInt64?
  /// The PID of timed ID3 tags, and the tag that is being read.
  private var metadataPID: Int?
  private var metadata: [UInt8] = []
  private static let metadataByteLimit = 1 << 16
  /// The title in the last tag.
  private(set) var title: String?

  /// Begins a segment, with its own packet counters and time. Drops an incomplete packet of the segment before.
  mutating func beginSegment() { (pending, counter, time, metadata) = ([], nil, nil, []) }

  mutating func audio(in bytes: [UInt8]) -> [UInt8] {
    let bytes = pending + bytes
    var audio: [UInt8] = []
    var place = 0
    while place + Self.packetByteCount <= bytes.count {
      if bytes[place] == Self.sync {
        read(bytes[place..<(place + Self.packetByteCount)], into: &audio)
        place += Self.packetByteCount
      } else {
        place += 1
      }
    }
    pending = Array(bytes[place...])
    return audio
  }

  // Packet: 47  error 1, unit begins 1, priority 1, PID 13  scrambled 2, adaptation 1, payload 1, counter 4
  private mutating func read(_ packet: ArraySlice<UInt8>, into audio: inout [UInt8]) {
    let start = packet.startIndex
    let (flags, control) = (packet[start + 1], packet[start + 3])
    let pid = Int(flags & 0x1f) << 8 | Int(packet[start + 2])
    guard flags & 0x80 == 0, control & 0xc0 == 0, control & 0x10 != 0 else { return }
    // An adaptation field has its length before it.
    let payload = packet.dropFirst(4 + (control & 0x20 != 0 ? 1 + Int(packet[start + 4]) : 0))
    let isBegin = flags & 0x40 != 0
    if pid == audioPID {
      // Servers may send a packet twice.
      guard counter != control & 0x0f else { return }
      counter = control & 0x0f
      readAudio(payload, isBegin: isBegin, into: &audio)
    } else if pid == metadataPID {
      readMetadata(payload, isBegin: isBegin)
    } else if pid == 0 || pid == programPID {
      readTable(payload, isBegin: isBegin, of: pid)
    }
  }

  // PES: 00 00 01  kind u8  length u16  flags u16  bytes of optional fields u8
  private mutating func readAudio(_ payload: ArraySlice<UInt8>, isBegin: Bool, into audio: inout [UInt8]) {
    if isBegin { header = [] }
    guard var begun = header else { return audio += payload }
    begun += payload
    header = begun
    guard begun.count >= 9 else { return }
    guard begun.starts(with: [0, 0, 1]) else { return header = [] }
    let byteCount = 9 + Int(begun[8])
    guard begun.count >= byteCount else { return }
    header = nil
    time = time ?? Self.time(begun)
    audio += begun[byteCount...]
  }

  // Flags of the header: 0x80 in its eighth byte: 0010, 3 bits, 1, 15 bits, 1, 15 bits, 1.
  private static func time(_ header: [UInt8]) -> UInt64? {
    guard header.count >= 14, header[7] & 0x80 != 0, header[8] >= 5 else { return nil }
    let parts = header[9..<14].map { UInt64($0) }
    return (parts[0] >> 1 & 7) << 30 | parts[1] << 22 | (parts[2] >> 1) << 15 | parts[3] << 7 | parts[4] >> 1
  }

  // A PES packet contains one or more tags.
  private mutating func readMetadata(_ payload: ArraySlice<UInt8>, isBegin: Bool) {
    guard isBegin || !metadata.isEmpty, metadata.count <= Self.metadataByteLimit else { return metadata = [] }
    metadata = isBegin ? Array(payload) : metadata + payload
    guard metadata.count >= 9, metadata.starts(with: [0, 0, 1]) else { return }
    let content = metadata.dropFirst(9 + Int(metadata[8]))
    guard let tag = ID3Metadata(content), tag.byteCount <= content.count else { return }
    title = tag.title ?? title
    metadata = []
  }

  // Table: kind u8  flags 4, length 12  number u16, version u8, section u8, last u8  …  check u32
  private mutating func readTable(_ payload: ArraySlice<UInt8>, isBegin: Bool, of pid: Int) {
    if isBegin, let pointer = payload.first {
      table = (pid, Array(payload.dropFirst(1 + Int(pointer))))
    } else if table?.pid == pid {
      table?.bytes += payload
    }
    guard let bytes = table?.bytes, bytes.count >= 8 else { return }
    let end = 3 + (Int(bytes[1] & 0x0f) << 8 | Int(bytes[2]))
    guard end <= Self.tableByteLimit else { return table = nil }
    guard bytes.count >= end else { return }
    table = nil
    let body = bytes[min(8, end)..<max(min(8, end), end - 4)]
    if pid == 0, bytes[0] == 0 { readPrograms(body) } else if pid != 0, bytes[0] == 2 { readStreams(body) }
  }

  // Each program: number u16  reserved 3, PID 13; number 0 is another table.
  private mutating func readPrograms(_ body: ArraySlice<UInt8>) {
    var rest = body
    while rest.count >= 4 {
      let entry = Array(rest.prefix(4))
      if entry[0] != 0 || entry[1] != 0 { return programPID = Int(entry[2] & 0x1f) << 8 | Int(entry[3]) }
      rest = rest.dropFirst(4)
    }
  }

  // Clock's PID u16  length u16, descriptors; each stream: kind u8  PID u16  length u16, descriptors
  private mutating func readStreams(_ body: ArraySlice<UInt8>) {
    guard body.count >= 4 else { return }
    let head = Array(body.prefix(4))
    var hasAudio = false
    var rest = body.dropFirst(4 + (Int(head[2] & 0x0f) << 8 | Int(head[3])))
    while rest.count >= 5 {
      let entry = Array(rest.prefix(5))
      let pid = Int(entry[1] & 0x1f) << 8 | Int(entry[2])
      // MPEG-1 and MPEG-2 audio, ADTS; the first is played.
      if [0x03, 0x04, 0x0f].contains(entry[0]), !hasAudio {
        hasAudio = true
        if pid != audioPID { (audioPID, counter, header) = (pid, nil, []) }
      } else if entry[0] == 0x15 {
        metadataPID = pid
      }
      rest = rest.dropFirst(5 + (Int(entry[3] & 0x0f) << 8 | Int(entry[4])))
    }
  }
}
