import AudioModel
import AudioOutput
import Glibc
import Testing

/// Mono floats at 44.1 kHz: what the tests of speed and loudness are made with.
let monoFloats = PCMFormat(sampleRate: 44100, channelCount: 1, sampleFormat: .f32)

func sine(_ frequency: Double, frames: Int, amplitude: Double = 0.5) -> [Float] {
  (0..<frames).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / 44100)) }
}

/// Upward zero crossings of a signal per second.
func frequency(of samples: ArraySlice<Float>) -> Double {
  let rises = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
  return Double(rises) / (Double(samples.count) / 44100)
}

extension AudioQueue {
  /// Queues samples in a buffer of their own.
  @discardableResult
  func enqueue<Sample: BitwiseCopyable>(
    _ samples: [Sample], startTime: Int64? = nil, parameters: [AudioQueueParameter] = []
  ) throws -> Int64 {
    let byteCount = samples.count * MemoryLayout<Sample>.size
    let buffer = try allocateBuffer(frameCapacity: byteCount / format.bytesPerFrame)
    samples.withUnsafeBytes { buffer.bytes.copyMemory(from: $0) }
    buffer.frameCount = buffer.frameCapacity
    return try enqueue(buffer, startTime: startTime, parameters: parameters)
  }
}

extension OfflineOutput {
  /// Renders until nothing is left, in pieces of so many bytes.
  func renderAll<Sample: BitwiseCopyable>(as type: Sample.Type, piece: Int = 8192) throws -> [Sample] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: piece)
    while case let count = try buffer.withUnsafeMutableBytes({ try render(into: $0) }), count > 0 {
      bytes += buffer.prefix(count)
      if count < piece { break }
    }
    return samples(bytes)
  }
}

func samples<Sample: BitwiseCopyable>(_ bytes: [UInt8]) -> [Sample] {
  bytes.withUnsafeBytes { raw in
    (0..<raw.count / MemoryLayout<Sample>.size).map {
      raw.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Sample>.size, as: Sample.self)
    }
  }
}

/// Nothing of long arrays is printed but where they differ.
func expectSame<Value: Equatable>(
  _ left: [Value], _ right: [Value], _ location: SourceLocation = #_sourceLocation
) {
  let place = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }
  let isSame = place == nil && left.count == right.count
  #expect(isSame, "\((left.count, right.count)), \(String(describing: place))", sourceLocation: location)
}
