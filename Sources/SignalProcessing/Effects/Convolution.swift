internal import AudioModel
internal import Glibc

/// A real room, or any device, by its impulse response: each frame is followed by that response, as loud as the frame.
/// Without latency.
public struct Convolution: AudioEffect {
  /// The response, interleaved, scaled so that noise keeps its level.
  public let response: [Float]
  /// Channels of the response: 1 for all channels of the music, or as many as that has.
  public let channelCount: Int
  /// Frames per second of the response; that of music with another rate is converted (`PCMConverter`).
  public let sampleRate: Int
  /// The share of the response in the result, 0...1; 0 leaves every bit as it is.
  public var wet: Double
  /// The file it came from; empty for none.
  public var name: String

  /// Ten seconds at 192 kHz.
  public static let maximumFrameCount = 1_920_000
  /// The longest response in seconds, at any rate: music at a higher rate needs as many times more memory.
  public static let maximumSeconds = 10

  /// A convolution; `nil` for a response that is empty, too long or contains NaN or infinity. The response is scaled to the
  /// loudness of the music: noise keeps its level.
  public init?(
    response: [Float], channelCount: Int, sampleRate: Int, wet: Double = 0.3, name: String = ""
  ) {
    guard 1...8 ~= channelCount, !response.isEmpty, response.count % channelCount == 0, sampleRate > 0,
      response.count / channelCount <= min(Self.maximumFrameCount, Self.maximumSeconds * min(sampleRate, 768_000)),
      response.allSatisfy(\.isFinite)
    else { return nil }
    let energy = response.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(channelCount)
    guard energy > 0 else { return nil }
    let factor = Float(1 / energy.squareRoot())
    self.response = response.map { $0 * factor }
    (self.channelCount, self.sampleRate, self.name) = (channelCount, sampleRate, name)
    self.wet = max(0, min(1, wet.isNaN ? 0.3 : wet))
  }

  /// `convolution wet=0.3 file=hall.wav`.
  public var words: String { "convolution wet=\(plain(wet)) file=\(quotedFile(name))" }
  /// True if nothing of the response is heard.
  public var isNeutral: Bool { wet == 0 }
  /// A node that does it.
  public func makeNode() -> any AudioEffectNode { ConvolutionNode(self) }
}

/// The start of the response by its definition, the rest in blocks of its spectrum (uniformly partitioned overlap-save, T. G.
/// Stockham 1966): of a block nothing is needed before it is complete, so that nothing is late.
private final class ConvolutionNode: AudioEffectNode {
  private static let blockCount = 512

  private let convolution: Convolution
  private var channels: [Channel] = []
  private var channelCount = 1
  private(set) var tailFrames = 0

  init(_ convolution: Convolution) { self.convolution = convolution }

  /// Music with other channels, or of another rate where libsamplerate is missing, stays as it is.
  func prepare(format: PCMFormat, maximumFrames: Int) {
    channelCount = format.channelCount
    guard [1, channelCount].contains(convolution.channelCount), let interleaved = response(atRate: format.sampleRate)
    else { return }
    let transform = FourierTransform(count: 2 * Self.blockCount)
    channels = (0..<channelCount).map { channel in
      let first = convolution.channelCount == 1 ? 0 : channel
      let places = stride(from: first, to: interleaved.count, by: convolution.channelCount)
      return Channel(places.map { interleaved[$0] }, Self.blockCount, transform)
    }
    tailFrames = interleaved.count / convolution.channelCount
  }

  private func response(atRate rate: Int) -> [Float]? {
    guard rate != convolution.sampleRate else { return convolution.response }
    let from = PCMFormat(
      sampleRate: convolution.sampleRate, channelCount: convolution.channelCount, sampleFormat: .f32)
    var to = from
    to.sampleRate = rate
    var bytes: [UInt8] = []
    guard let converter = try? PCMConverter(from: from, to: to),
      (try? convolution.response.withUnsafeBytes({ try converter.convert($0, isLast: true, into: &bytes) })) != nil
    else { return nil }
    // As much energy in other frames.
    let scale = Float(convolution.sampleRate) / Float(rate)
    return bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) * scale }
    }
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    let (wet, dry) = (Float(convolution.wet), Float(1 - convolution.wet))
    for channel in channels.indices {
      channels[channel].process(samples, from: channel, by: channelCount, dry: dry, wet: wet)
    }
  }

  func reset() { for channel in channels.indices { channels[channel].reset() } }

  private struct Channel {
    private let transform: FourierTransform
    private let count: Int
    private let head: [Float]
    /// The spectra of the blocks of the response behind the first, one behind the other, half of each.
    private let partReal: [Float]
    private let partImaginary: [Float]
    private let partCount: Int
    /// Spectra of the input, a ring of as many blocks.
    private var inputReal: [Float]
    private var inputImaginary: [Float]
    private var newest = 0
    /// The last block and the one that is being filled.
    private var input: [Float]
    /// The sound of the earlier blocks in the present one.
    private var rest: [Float]
    private var place = 0
    private var real: [Float]
    private var imaginary: [Float]

    init(_ response: [Float], _ count: Int, _ transform: FourierTransform) {
      (self.count, self.transform) = (count, transform)
      head = Array(response.prefix(count)) + [Float](repeating: 0, count: max(0, count - response.count))
      partCount = max(0, (response.count - 1) / count)
      var (allReal, allImaginary): ([Float], [Float]) = ([], [])
      (real, imaginary) = ([Float](repeating: 0, count: 2 * count), [Float](repeating: 0, count: 2 * count))
      for part in 0..<partCount {
        let block = response[((part + 1) * count)..<min(response.count, (part + 2) * count)]
        var re = Array(block) + [Float](repeating: 0, count: 2 * count - block.count)
        var im = [Float](repeating: 0, count: 2 * count)
        transform.run(&re, &im)
        allReal += re[...count]
        allImaginary += im[...count]
      }
      (partReal, partImaginary) = (allReal, allImaginary)
      inputReal = Array(repeating: 0, count: allReal.count)
      inputImaginary = inputReal
      input = Array(repeating: 0, count: 2 * count)
      rest = Array(repeating: 0, count: count)
    }

    mutating func reset() {
      for index in inputReal.indices { (inputReal[index], inputImaginary[index]) = (0, 0) }
      for index in input.indices { input[index] = 0 }
      for index in rest.indices { rest[index] = 0 }
      (newest, place) = (0, 0)
    }

    mutating func process(
      _ samples: UnsafeMutableBufferPointer<Float>, from first: Int, by step: Int, dry: Float, wet: Float
    ) {
      for index in stride(from: first, to: samples.count, by: step) {
        let sample = samples[index]
        // Sums of larger samples could become infinite, and stay in all later blocks as NaN.
        let finite = sample.isFinite ? max(-1e9, min(1e9, sample)) : 0
        input[count + place] = finite
        var sum = rest[place]
        input.withUnsafeBufferPointer { input in
          head.withUnsafeBufferPointer { head in
            for tap in 0..<count { sum += head[tap] * input[count + place - tap] }
          }
        }
        samples[index] = finite * dry + sum * wet
        place += 1
        if place == count { finishBlock() }
      }
    }

    /// The spectrum of the full block, and the sound of all blocks so far in the next one.
    private mutating func finishBlock() {
      place = 0
      defer { for index in 0..<count { input[index] = input[count + index] } }
      guard partCount > 0 else { return }
      for index in 0..<2 * count { (real[index], imaginary[index]) = (input[index], 0) }
      transform.run(&real, &imaginary)
      newest = newest == 0 ? partCount - 1 : newest - 1
      let bins = count + 1
      for bin in 0..<bins {
        (inputReal[newest * bins + bin], inputImaginary[newest * bins + bin]) = (real[bin], imaginary[bin])
        (real[bin], imaginary[bin]) = (0, 0)
      }
      multiply(bins)
      // The other half is the mirror image; the inverse is the forward transform of the conjugate.
      for bin in 1..<count { (real[2 * count - bin], imaginary[2 * count - bin]) = (real[bin], imaginary[bin]) }
      for bin in 0...count { imaginary[bin] = -imaginary[bin] }
      transform.run(&real, &imaginary)
      let scale = 1 / Float(2 * count)
      for index in 0..<count { rest[index] = real[count + index] * scale }
    }

    private mutating func multiply(_ bins: Int) {
      for part in 0..<partCount {
        let block = (newest + part) % partCount
        partReal.withUnsafeBufferPointer { partReal in
          partImaginary.withUnsafeBufferPointer { partImaginary in
            inputReal.withUnsafeBufferPointer { inputReal in
              inputImaginary.withUnsafeBufferPointer { inputImaginary in
                real.withUnsafeMutableBufferPointer { real in
                  imaginary.withUnsafeMutableBufferPointer { imaginary in
                    for bin in 0..<bins {
                      let (a, b) = (inputReal[block * bins + bin], inputImaginary[block * bins + bin])
                      let (c, d) = (partReal[part * bins + bin], partImaginary[part * bins + bin])
                      real[bin] += a * c - b * d
                      imaginary[bin] += a * d + b * c
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// The discrete Fourier transform of complex numbers (radix 2, Press et al., Numerical Recipes, 12.2).
struct FourierTransform {
  private let cosines: [Float]
  private let sines: [Float]
  private let places: [Int]

  /// - Parameter count: The number of samples: a power of 2, at least 2.
  init(count: Int) {
    precondition(count >= 2 && count & (count - 1) == 0)
    let angles = (0..<count / 2).map { -2 * Double.pi * Double($0) / Double(count) }
    (cosines, sines) = (angles.map { Float(cos($0)) }, angles.map { Float(sin($0)) })
    let bits = count.trailingZeroBitCount
    places = (0..<count).map { index in (0..<bits).reduce(0) { $0 | (index >> $1 & 1) << (bits - 1 - $1) } }
  }

  /// Transforms in place.
  func run(_ real: inout [Float], _ imaginary: inout [Float]) {
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { run(real, $0) }
    }
  }

  private func run(_ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>) {
    let count = places.count
    for (index, place) in places.enumerated() where index < place {
      real.swapAt(index, place)
      imaginary.swapAt(index, place)
    }
    var span = 1
    while span < count {
      let step = count / span / 2
      for index in 0..<span {
        let (cosine, sine) = (cosines[index * step], sines[index * step])
        for low in stride(from: index, to: count, by: 2 * span) {
          let high = low + span
          let turnedReal = real[high] * cosine - imaginary[high] * sine
          let turnedImaginary = real[high] * sine + imaginary[high] * cosine
          (real[high], imaginary[high]) = (real[low] - turnedReal, imaginary[low] - turnedImaginary)
          real[low] += turnedReal
          imaginary[low] += turnedImaginary
        }
      }
      span *= 2
    }
  }
}
