internal import AudioModel

/// A stretch of frames at one speed and pitch: a converter at work, between samples of the queue's format.
final class Conversion {
  let timePitch: TimePitch
  /// The end of the output, as the device counts, once no frames follow.
  var end: Int64?
  private var silentChunkCount = 0
  private let converter: any RateConverter
  private let format: PCMFormat
  private let bytes: UnsafeMutableRawBufferPointer
  private let floats: UnsafeMutableBufferPointer<Float>

  init(_ timePitch: TimePitch, _ converter: any RateConverter, format: PCMFormat) {
    (self.timePitch, self.converter, self.format) = (timePitch, converter, format)
    bytes = .allocate(byteCount: rateConverterChunk * format.bytesPerFrame, alignment: 16)
    floats = .allocate(capacity: rateConverterChunk * format.channelCount)
    floats.initialize(repeating: 0)
    converter.reset(rate: timePitch.rate, pitch: timePitch.pitch)
  }

  deinit {
    bytes.deallocate()
    floats.deallocate()
  }

  /// Puts frames in, at most `rateConverterChunk`, that `read` writes.
  func put(_ frameCount: Int, read: (UnsafeMutableRawBufferPointer) -> Void) {
    let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<(frameCount * format.bytesPerFrame)])
    read(part)
    format.sampleFormat.load(UnsafeRawBufferPointer(part), into: floats)
    converter.put(UnsafeBufferPointer(rebasing: floats[..<(frameCount * format.channelCount)]))
  }

  /// Puts silence behind the last frame, which pushes out what lies within the converter's window: how much that is
  /// depends on speed and pitch, and libraries do not say. False where nothing would come of it any more.
  func putSilence() -> Bool {
    silentChunkCount += 1
    guard silentChunkCount <= 64 else { return false }
    floats.update(repeating: 0)
    converter.put(UnsafeBufferPointer(floats))
    return true
  }

  /// Takes frames out, as many as are there and fit; returns their bytes.
  func take(into target: UnsafeMutableRawBufferPointer) -> Int {
    let wanted = min(target.count / format.bytesPerFrame, rateConverterChunk) * format.channelCount
    let frameCount = converter.take(into: UnsafeMutableBufferPointer(rebasing: floats[..<wanted]))
    let samples = UnsafeBufferPointer(rebasing: floats[..<(frameCount * format.channelCount)])
    format.sampleFormat.store(samples, into: target)
    return frameCount * format.bytesPerFrame
  }
}
