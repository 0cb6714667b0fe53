public import AudioModel
internal import CSampleRate

/// Converts PCM to another sample rate, other channels or another sample format. One owner at a time.
///
/// ```swift
/// let converter = try PCMConverter(from: decoder.format, to: wanted)
/// var output: [UInt8] = []
/// try converter.convert(frames, into: &output)
/// try converter.convert(rest, isLast: true, into: &output)
/// ```
/// Equal formats pass bit-exactly and at no cost. Only another rate needs libsamplerate, which is opened then. Fewer bits get triangular dither at 16 bits; samples that fit get none.
public final class PCMConverter {
  /// The accuracy of another sample rate, and what it costs.
  public enum Quality: Int32, Sendable, Hashable, CaseIterable {
    /// Errors below -120 dB, 97 % of the band.
    case best = 0
    /// Errors below -100 dB, 90 % of the band.
    case medium = 1
    /// Errors below -97 dB, 80 % of the band.
    case fast = 2
  }

  /// The layout of what goes in.
  public let input: PCMFormat
  /// The layout of what comes out.
  public let output: PCMFormat
  private let matrix: ChannelMatrix?
  private let resampler: Resampler?
  /// Frames that came out, for the dither.
  private var frameCount: Int64 = 0

  /// A converter. Throws `formatNotSupported` for formats without frames, and rates in a ratio of more than 256;
  /// `libraryMissing` if the rate changes and libsamplerate is not installed.
  public init(from input: PCMFormat, to output: PCMFormat, quality: Quality = .medium) throws(PCMConverterError) {
    for format in [input, output] {
      guard 1...768_000 ~= format.sampleRate, 1...32 ~= format.channelCount else { throw .formatNotSupported }
    }
    (self.input, self.output) = (input, output)
    matrix = ChannelMatrix(from: input, to: output)
    resampler = input.sampleRate == output.sampleRate ? nil : try Resampler(from: input, to: output, quality)
  }

  /// True if every sample stays as it is.
  public var isNeutral: Bool { resampler == nil && matrix == nil && input.sampleFormat == output.sampleFormat }

  /// Converts whole frames, and adds what they make to `result`. A converter of rates holds some back until `isLast`,
  /// after which it begins anew. The result does not depend on how the frames are divided.
  public func convert(
    _ frames: UnsafeRawBufferPointer, isLast: Bool = false, into result: inout [UInt8]
  ) throws(PCMConverterError) {
    guard !isNeutral else { return result.append(contentsOf: frames) }
    let count = frames.count / input.sampleFormat.byteCount / input.channelCount * input.channelCount
    var samples = [Float](unsafeUninitializedCapacity: count) { buffer, length in
      buffer.initialize(repeating: 0)
      input.sampleFormat.load(frames, into: buffer)
      length = count
    }
    // Fewer channels first, more of them last: the rate is changed for as few as possible.
    if let matrix, matrix.reduces { samples = matrix.apply(to: samples) }
    if let resampler { samples = try resampler.convert(samples, isLast: isLast) }
    if let matrix, !matrix.reduces { samples = matrix.apply(to: samples) }
    append(&samples, to: &result)
    if isLast { reset() }
  }

  /// Forgets the frames before: others follow than those.
  public func reset() {
    resampler?.reset()
    frameCount = 0
  }

  private func append(_ samples: inout [Float], to result: inout [UInt8]) {
    guard !samples.isEmpty else { return }
    let start = result.count
    result += [UInt8](repeating: 0, count: samples.count * output.sampleFormat.byteCount)
    samples.withUnsafeMutableBufferPointer { samples in
      if output.sampleFormat == .s16 {
        addDither(to: samples, firstFrame: frameCount, channelCount: output.channelCount)
      }
      result.withUnsafeMutableBytes { bytes in
        output.sampleFormat.store(
          UnsafeBufferPointer(samples), into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
      }
    }
    frameCount += Int64(samples.count / output.channelCount)
  }

  /// The library for other sample rates. Opens it. Any thread.
  public static var library: SharedLibrary {
    SharedLibrary(SEGUE_SAMPLERATE, functions: UnsafeRawPointer(Resampler.library))
  }
}

/// Why PCM cannot be converted.
public enum PCMConverterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One of the formats has no frames, or their rates are too far apart ('fmt?').
  case formatNotSupported
  /// Another rate needs a library that is not installed.
  case libraryMissing
  /// The library refuses to go on, by its number.
  case failed(Int32)

  /// The problem, and the remedy.
  public var description: String {
    switch self {
    case .formatNotSupported: "this change of format is not supported ('fmt?')"
    case .libraryMissing: "another sample rate: \(PCMConverter.library.complaint)"
    case .failed(let number): "libsamplerate reports error \(number)"
    }
  }
}
