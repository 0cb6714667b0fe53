internal import AudioModel

/// A run of frames at one speed and pitch: a converter with conversion from and to the queue's sample format.
final class Conversion {
  let timePitch: TimePitch
  /// The end of the output in the device's counting, once the input has ended.
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

  /// Adds frames, at most `rateConverterChunk`, that `read` writes.
  func put(_ frameCount: Int, read: (UnsafeMutableRawBufferPointer) -> Void) {
    let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<(frameCount * format.bytesPerFrame)])
    read(part)
    format.sampleFormat.load(UnsafeRawBufferPointer(part), into: floats)
    converter.put(UnsafeBufferPointer(rebasing: floats[..<(frameCount * format.channelCount)]))
  }

  /// Adds silence after the last frame, which pushes the rest out of the converter's window. The size of the window
  /// depends on speed and pitch, and libraries do not report it. False if more silence would have no effect.
  func putSilence() -> Bool {
    silentChunkCount += 1
    guard silentChunkCount <= 64 else { return false }
    floats.update(repeating: 0)
    converter.put(UnsafeBufferPointer(floats))
    return true
  }

  /// Writes the available output frames that fit. Returns their number of bytes.
  func take(into target: UnsafeMutableRawBufferPointer) -> Int {
    let wanted = min(target.count / format.bytesPerFrame, rateConverterChunk) * format.channelCount
    let frameCount = converter.take(into: UnsafeMutableBufferPointer(rebasing: floats[..<wanted]))
    let samples = UnsafeBufferPointer(rebasing: floats[..<(frameCount * format.channelCount)])
    format.sampleFormat.store(samples, into: target)
    return frameCount * format.bytesPerFrame
  }
}
