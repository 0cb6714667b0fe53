public import AudioModel
public import ByteIO
internal import Glibc

/// Writes packets to a file as they are, without decoding them: into CAF or, of AAC, ADTS. One owner at a time.
///
/// ```swift
/// let file = try AudioFile(path: input)
/// let writer = try AudioPacketWriter(path: output, type: .caf, information: file.information)
/// // for each read: read.forEachPacket(in: bytes) { try writer.write($0, $1) }
/// writer.packetTable = file.information.packetTable
/// try writer.close()
/// ```
public final class AudioPacketWriter {
  /// Packets in the file.
  public private(set) var packetCount: Int64 = 0
  /// The frames that are played: those of the source, unless set before `close`. ADTS has no place for them.
  public var packetTable: AudioFilePacketTableInfo?
  private let layout: any PacketFileLayout
  private let file: OpenSoundFile
  /// Bytes that were written, and packets that wait until there are more of them.
  private var byteCount: Int64
  private var pending: [UInt8] = []
  private var isOpen = true

  /// Creates a file at `path`, which must not exist. `type` is `caf` or `adts`, `information` that of the source.
  ///
  /// Throws `EINVAL` for formats that no such file holds, `EEXIST` for a file that is there, and the system's error where
  /// none can be created.
  public convenience init(
    path: BytePath, type: AudioFileTypeID, information: MediaInformation
  ) throws(ByteIOError) {
    try self.init(WAVEDestination(path: path, replacesExisting: false), type: type, information: information)
  }

  /// Creates a file for a destination. Throws as the other initializer.
  public init(
    _ destination: WAVEDestination, type: AudioFileTypeID, information: MediaInformation
  ) throws(ByteIOError) {
    let layout: (any PacketFileLayout)? = type == .caf ? CAFPacketLayout(information) : nil
    guard let layout = layout ?? (type == .adts ? ADTSLayout(information) : nil) else {
      let name = information.formatList.first?.formatID ?? information.dataFormat?.formatID
      let problem = "no file of type '\(type)' holds packets of \(name.map { "'\($0)'" } ?? "an unknown format")"
      throw ByteIOError(
        operation: "create", errno: EINVAL, detail: type == .adts ? "an .aac file holds only AAC; use .caf" : problem)
    }
    let (file, header) = (try OpenSoundFile(destination), layout.header)
    (self.layout, self.file, byteCount, packetTable) = (layout, file, Int64(header.count), information.packetTable)
    guard file.isRewritable || type == .adts else {
      throw ByteIOError(operation: "create", errno: ESPIPE, detail: "a pipe cannot be completed; choose ADTS")
    }
    try file.put(header, at: 0)
  }

  /// An incomplete file that was to replace another is removed.
  deinit { if isOpen { file.discard() } }

  /// Writes one packet behind the last one. Throws the system's error, `EINVAL` for a packet that does not fit: of another
  /// size than the format says, too large for ADTS, or the first of another link of a chained stream.
  public func write(_ description: PacketDescription, _ packet: RawSpan) throws(ByteIOError) {
    let isOtherLink = description.beginsLink && packetCount > 0
    guard isOpen, !isOtherLink, let prefix = layout.add(description, byteCount: packet.byteCount) else {
      let detail = "packet \(packetCount) does not fit"
      throw ByteIOError(operation: "write", errno: isOpen ? EINVAL : EBADF, detail: detail)
    }
    pending += prefix
    packet.withUnsafeBytes { pending += $0 }
    packetCount += 1
    if pending.count >= 1 << 16 { try putPending() }
  }

  private func putPending() throws(ByteIOError) {
    try file.put(pending, at: byteCount)
    byteCount += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  /// Completes the file. Call it once.
  public func close() throws(ByteIOError) {
    guard isOpen else { return }
    isOpen = false
    do throws(ByteIOError) {
      try putPending()
      for piece in layout.completion(packetTable, fileByteCount: byteCount) {
        try file.put(piece.bytes, at: piece.offset)
      }
    } catch {
      file.discard()
      throw error
    }
    try file.keep()
  }
}

/// The bytes of a file around its packets.
protocol PacketFileLayout: AnyObject {
  /// The bytes before the first packet.
  var header: [UInt8] { get }

  /// Counts a packet. Returns the bytes before it; `nil` if it does not fit.
  func add(_ description: PacketDescription, byteCount: Int) -> [UInt8]?

  /// The bytes that complete the file, and their places.
  func completion(
    _ trim: AudioFilePacketTableInfo?, fileByteCount: Int64
  ) -> [(bytes: [UInt8], offset: Int64)]
}
