internal import Threads

/// An `AudioQueue` that takes compressed packets, as a parser delivers them, and decodes them itself.
///
/// ```swift
/// let queue = try AudioPacketQueue(information: stream.information, output: output) { event in ... }
/// let buffer = try queue.allocateBuffer(byteCapacity: 1 << 16)
/// packets.forEachPacket(in: bytes) { packet, data in
///   if !buffer.append(packet, data) { /* full: enqueue it, and take the next one */ }
/// }
/// try queue.enqueue(buffer)
/// try queue.start()
/// ```
/// `enqueue` decodes on the calling thread; a packet that cannot be decoded is silent. Volume, pause, clock and all else are
/// those of `queue`. Designed for one feeding thread, as `AudioQueue` is.
public final class AudioPacketQueue: Sendable {
  /// The events of the queue, whose buffers are those with packets.
  public enum Event: Sendable {
    /// This buffer was consumed, and may be filled again.
    case bufferReturned(AudioPacketBuffer)
    /// Any other event.
    case queue(AudioQueueEvent)
  }

  /// The queue that plays.
  public let queue: AudioQueue
  private let decoding: Guarded<Decoding>
  private let playing: Guarded<[ObjectIdentifier: AudioPacketBuffer]>

  /// Safety: the decoder is used under the lock only.
  fileprivate struct Decoding: @unchecked Sendable {
    let decoder: any AudioDecoder
    var damagedPacketCount = 0
  }

  /// A stopped queue for packets of that format, as `AudioDecoders.decoder(for:)` takes it.
  ///
  /// Throws `codecNotFound` if nothing here decodes it or its library is missing, and as `AudioQueue` does. `listener` is
  /// called as that of the queue.
  public convenience init(
    format: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil, channelMask: UInt32 = 0,
    output: any AudioOutput, buffering: AudioOutputBuffering = .deep,
    listener: @escaping @Sendable (Event) -> Void
  ) throws(AudioQueueError) {
    var information = MediaInformation()
    (information.dataFormat, information.magicCookie, information.channelMask) = (format, magicCookie, channelMask)
    try self.init(information: information, output: output, buffering: buffering, listener: listener)
  }

  /// The same for what a parser found.
  public init(
    information: MediaInformation, output: any AudioOutput, buffering: AudioOutputBuffering = .deep,
    listener: @escaping @Sendable (Event) -> Void
  ) throws(AudioQueueError) {
    let decoder: any AudioDecoder
    do throws(DecoderError) { decoder = try AudioDecoders.decoder(for: information) } catch { throw .codecNotFound }
    let playing = Guarded<[ObjectIdentifier: AudioPacketBuffer]>([:])
    self.playing = playing
    queue = try AudioQueue(format: decoder.format, output: output, buffering: buffering) { event in
      guard case .bufferReturned(let buffer) = event else { return listener(.queue(event)) }
      if let packets = playing.withLock({ $0.removeValue(forKey: ObjectIdentifier(buffer)) }) {
        packets.clear()
        listener(.bufferReturned(packets))
      }
    }
    decoding = Guarded(Decoding(decoder: decoder))
  }

  /// An empty buffer for so many bytes of packets.
  public func allocateBuffer(byteCapacity: Int) throws(AudioQueueError) -> AudioPacketBuffer {
    guard 1...(1 << 26) ~= byteCapacity else { throw .invalidParameter }
    return AudioPacketBuffer(owner: ObjectIdentifier(self), byteCapacity: byteCapacity)
  }

  /// Decodes the packets of a buffer and appends what they make, without its first `trimStart` and last `trimEnd` frames.
  /// Returns the time, in frames, at which it begins to play. Throws as `AudioQueue.enqueue` does.
  @discardableResult
  public func enqueue(
    _ buffer: AudioPacketBuffer, trimStart: Int = 0, trimEnd: Int = 0
  ) throws(AudioQueueError) -> Int64 {
    guard buffer.owner == ObjectIdentifier(self) else { throw .invalidBuffer }
    guard let packets = buffer.begin() else { throw .bufferEnqueuedTwice }
    do throws(AudioQueueError) {
      return try enqueue(packets, of: buffer, trimStart: trimStart, trimEnd: trimEnd)
    } catch {
      buffer.cancel()
      throw error
    }
  }

  private func enqueue(
    _ packets: [AudioPacketBuffer.Packet], of buffer: AudioPacketBuffer, trimStart: Int, trimEnd: Int
  ) throws(AudioQueueError) -> Int64 {
    // Before anything is decoded: a decoder must get each packet once.
    try queue.checkTakesBuffers()
    guard !packets.isEmpty else { throw .bufferEmpty }
    let frameLimit = 1 << 24
    let isPossible = packets.allSatisfy { packet in
      0...frameLimit ~= packet.description.frameCount && 0...frameLimit ~= packet.description.droppedFrameCount
    }
    guard isPossible, trimStart >= 0, trimEnd >= 0 else { throw .invalidParameter }
    // A damaged packet plays as silence, so that the time is right.
    let frameCount = packets.reduce(0) { $0 + $1.description.frameCount + $1.description.droppedFrameCount }
    guard frameCount <= frameLimit else { throw .invalidParameter }
    let samples = try queue.allocateBuffer(frameCapacity: max(1, frameCount))
    decoding.withLock { decoding in
      for packet in packets { decoding.decode(packet, into: samples) }
    }
    playing.withLock { $0[ObjectIdentifier(samples)] = buffer }
    do throws(AudioQueueError) {
      return try queue.enqueue(samples, trimStart: trimStart, trimEnd: trimEnd)
    } catch {
      _ = playing.withLock { $0.removeValue(forKey: ObjectIdentifier(samples)) }
      throw error
    }
  }

  /// Packets that could not be decoded so far.
  public var damagedPacketCount: Int { decoding.withLock { $0.damagedPacketCount } }

  /// Starts, or continues after a pause (`AudioQueue.start`).
  public func start() throws(AudioQueueError) { try queue.start() }

  /// Stops at once, and forgets the packets before, or after the last queued frame (`AudioQueue.stop`).
  public func stop(immediately: Bool) {
    queue.stop(immediately: immediately)
    if immediately { decoding.withLock { $0.decoder.reset() } }
  }

  /// Drops what has not played, and forgets the packets before: those of another place follow.
  public func reset() {
    queue.reset()
    decoding.withLock { $0.decoder.reset() }
  }
}

extension AudioPacketQueue.Decoding {
  fileprivate mutating func decode(_ packet: AudioPacketBuffer.Packet, into buffer: AudioQueueBuffer) {
    let size = decoder.format.bytesPerFrame
    var description = packet.description
    let dropped = description.droppedFrameCount
    description.frameCount += dropped
    if description.beginsLink { decoder.reset() }
    let space = buffer.bytes[(buffer.frameCount * size)..<((buffer.frameCount + description.frameCount) * size)]
    let target = UnsafeMutableRawBufferPointer(rebasing: space)
    var count = description.frameCount
    do throws(DecoderError) {
      count = try decoder.decode(packet.bytes.span.bytes, description, into: target)
    } catch {
      damagedPacketCount += 1
      for index in target.indices { target[index] = 0 }
    }
    if dropped > 0, count >= dropped {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: target[(dropped * size)..<(count * size)]))
      count -= dropped
    }
    buffer.frameCount += count
  }
}

/// A buffer of compressed packets for an `AudioPacketQueue`. Filled by one thread at a time.
public final class AudioPacketBuffer: Sendable {
  struct Packet {
    var description: PacketDescription
    var bytes: [UInt8]
  }

  private struct State {
    var packets: [Packet] = []
    var byteCount = 0
    var isQueued = false
  }

  /// Bytes of packets that fit; a larger packet fits into an empty buffer.
  public let byteCapacity: Int
  /// The identity of its queue.
  let owner: ObjectIdentifier
  private let state = Guarded(State())

  init(owner: ObjectIdentifier, byteCapacity: Int) { (self.owner, self.byteCapacity) = (owner, byteCapacity) }

  /// Bytes of the packets that were appended.
  public var byteCount: Int { state.withLock { $0.byteCount } }
  /// The number of packets that were appended.
  public var packetCount: Int { state.withLock { $0.packets.count } }

  /// Copies a packet behind those that are there. Returns false, and changes nothing, if it does not fit or the buffer is
  /// queued. A packet larger than an empty buffer fits.
  public func append(_ description: PacketDescription, _ packet: RawSpan) -> Bool {
    let bytes = packet.withUnsafeBytes { Array($0) }
    return state.withLock { state in
      guard !state.isQueued, state.packets.isEmpty || state.byteCount + bytes.count <= byteCapacity else {
        return false
      }
      state.packets.append(Packet(description: description, bytes: bytes))
      state.byteCount += bytes.count
      return true
    }
  }

  /// Returns the packets, for the queue; `nil` if they are queued already.
  func begin() -> [Packet]? {
    state.withLock { state in
      defer { state.isQueued = true }
      return state.isQueued ? nil : state.packets
    }
  }

  func cancel() { state.withLock { $0.isQueued = false } }

  func clear() { state.withLock { $0 = State() } }
}
