public import AudioModel

/// Receives the results of an `AudioFileStream`, during `parse` or `finish` and on the same thread.
public protocol AudioFileStreamSink {
  /// A property is known, or has changed at the end of the stream. Read its value from `stream`; do not call `parse`
  /// here.
  mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID)

  /// Whole packets, at least one, numbered from `firstPacket` on.
  ///
  /// `bytes` begin at the first packet's `byteOffset`. There may be other bytes between packets, so copy by offset. The
  /// bytes are valid during the call only. Packets of one size come as runs: one description for many
  /// (`PacketDescription.packetCount`).
  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64)

  /// Bytes that belong to no packet and no tag were left out; they begin at `byteOffset`.
  mutating func stream(_ stream: AudioFileStream, didSkip byteCount: Int64, at byteOffset: Int64)
}

extension AudioFileStreamSink {
  /// Ignored.
  public mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {}
  /// Ignored.
  public mutating func stream(_ stream: AudioFileStream, didSkip byteCount: Int64, at byteOffset: Int64) {}
}
