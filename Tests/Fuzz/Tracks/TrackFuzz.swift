import AudioModel
import ByteIO
import Playback

/// Any bytes as a file that is played: parser, decoder and trim together, as `segue decode` and the player run them.
/// Nothing may trap, hang or take more memory than a file of this size deserves. libFuzzer calls it.
///
/// The first byte says how the file is read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTracks(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data, count: count).dropFirst())
  let sampleFormats: [PCMFormat.SampleFormat?] = [nil, .s16, .s32, .f32]
  do throws(TrackError) {
    let reader = try TrackReader(
      source: MemorySource(bytes, byteCount: Int64(bytes.count)), via: data[0] & 0x40 == 0 ? .auto : .file,
      sampleFormat: sampleFormats[Int(data[0] & 3)])
    try play(reader)
    _ = try reader.seek(toFrame: (reader.frameCount ?? 1 << 20) / 2)
    try play(reader)
    while !reader.isIndexed { _ = reader.advanceIndex() }
    _ = reader.information
  } catch {}
  return 0
}

/// Reads the first samples: missing packets may stand for hours of silence.
private func play(_ reader: TrackReader) throws(TrackError) {
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  defer { buffer.deallocate() }
  for _ in 0..<64 where try reader.read(into: buffer) == 0 { return }
}
