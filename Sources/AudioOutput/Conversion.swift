internal import AudioModel

/// A stretch of frames at one speed and pitch: a converter at work, between samples of the queue's format.
final class Conversion {
  let timePitch: TimePitch
  /// Where it ends, as the device counts, once that is known.
  private(set) var end: Int64?
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
    converter.put(UnsafeBufferPointer(rebasing: floats[..<(frameCount * format.channelCount)]), isLast: false)
  }

  /// Takes frames out, as many as are there and fit; returns their bytes.
  func take(into target: UnsafeMutableRawBufferPointer) -> Int {
    let wanted = min(target.count / format.bytesPerFrame, rateConverterChunk) * format.channelCount
    let frameCount = converter.take(into: UnsafeMutableBufferPointer(rebasing: floats[..<wanted]))
    let samples = UnsafeBufferPointer(rebasing: floats[..<(frameCount * format.channelCount)])
    format.sampleFormat.store(samples, into: target)
    return frameCount * format.bytesPerFrame
  }

  /// No frames follow; what comes out ends at that frame of the device, with silence where it is too short.
  func finish(atDeviceFrame frame: Int64) {
    if end == nil { converter.put(UnsafeBufferPointer(start: nil, count: 0), isLast: true) }
    end = frame
  }
}
