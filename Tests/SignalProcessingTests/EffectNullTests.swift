import AudioModel
import Glibc
import SignalProcessing
import SoundServerSupport
import Testing

/// Subtracts the output of sox or ffmpeg from ours, where both do the same. SEGUE_FIGURES=1 prints the rest in decibels
/// for docs/FIGURES.md.
@Suite struct `Effects beside sox and ffmpeg` {
  private let folder: TemporaryFolder
  /// A second of stereo noise, at a third of full scale: boosts do not clip.
  private let noise = Effects.noise(2 * 44100, 0.3)

  init() throws { folder = try TemporaryFolder() }

  static let filters = [
    "PK Fc 100 Hz Gain 6 dB Q 0.7", "PK Fc 1000 Hz Gain -9 dB Q 2", "PK Fc 8000 Hz Gain 4.5 dB Q 1.41",
  ]

  private func write(_ samples: [Float], to name: String) throws -> String {
    let path = folder.path + "/" + name
    let file = try #require(fopen(path, "wb"))
    defer { fclose(file) }
    #expect(fwrite(samples, 4, samples.count, file) == samples.count)
    return path
  }

  /// The output of a command for the noise: raw 32-bit floats from standard input's file to standard output.
  private func output(of command: [String]) throws -> [Float] {
    let bytes = try ChildProcess.bytes(of: command)
    return bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
  }

  private func ffmpeg(_ filter: String, more: [String] = []) throws -> [Float] {
    let raw = ["-f", "f32le", "-ar", "44100", "-ac", "2", "-i", try write(noise, to: "noise")]
    let graph = more.isEmpty ? ["-af", filter] : ["-filter_complex", filter]
    return try output(of: ["ffmpeg", "-v", "error"] + raw + more + graph + ["-f", "f32le", "-c:a", "pcm_f32le", "-"])
  }

  private func sox(_ effects: [String]) throws -> [Float] {
    let raw = ["-t", "raw", "-e", "floating-point", "-b", "32", "-r", "44100", "-c", "2"]
    return try output(of: ["sox", "-D"] + raw + [try write(noise, to: "noise")] + raw + ["-"] + effects)
  }

  /// The level of the difference, in decibels of the level of their output.
  private func rest(_ name: String, _ list: EffectList, beside theirs: [Float]) throws -> Double {
    let ours = Effects.processed(list, noise, Effects.format(2))
    try #require(theirs.count >= ours.count, "\(name): \(theirs.count) samples")
    let difference = zip(ours, theirs).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
    let whole = ours.reduce(0.0) { $0 + Double($1) * Double($1) }
    let decibels = 10 * log10(max(difference, 1e-30) / whole)
    if getenv("SEGUE_FIGURES") != nil { print("\(name): rest \((decibels * 10).rounded() / 10) dB") }
    return decibels
  }

  @Test(arguments: filters) func `bells equal those of ffmpeg and sox`(filter: String) throws {
    let words = filter.split(separator: " ").map(String.init)
    let (frequency, gain, quality) = (words[2], words[5], words[8])
    let list: EffectList = [try ParametricEqualizer(profile: "Filter 1: ON \(filter)")]
    // ffmpeg's form of the filter that has our rounding errors, in double precision.
    let ffmpeg = try ffmpeg("equalizer=f=\(frequency):t=q:w=\(quality):g=\(gain):r=f64")
    #expect(try rest("bell at \(frequency) Hz beside ffmpeg", list, beside: ffmpeg) < -130)
    // sox passes 32-bit integers between its effects.
    let sox = try sox(["equalizer", frequency, quality + "q", gain])
    #expect(try rest("bell at \(frequency) Hz beside sox", list, beside: sox) < -110)
  }

  @Test func `shelves equal those of ffmpeg`() throws {
    for (shape, filter, frequency) in [("LSC", "bass", 200), ("HSC", "treble", 4000)] {
      let list: EffectList = [
        try ParametricEqualizer(profile: "Filter 1: ON \(shape) Fc \(frequency) Hz Gain 6 dB Q 0.7")
      ]
      // ffmpeg's Q of shelves is smaller than that of the usual formulas (RBJ) by the root of 2.
      let theirs = try ffmpeg("\(filter)=f=\(frequency):t=q:w=\(0.7 / 2.0.squareRoot()):g=6:r=f64")
      #expect(try rest("\(filter) shelf beside ffmpeg", list, beside: theirs) < -130)
    }
  }

  @Test func `mono and width equal matrices of ffmpeg`() throws {
    let mono = try ffmpeg("pan=stereo|c0=0.5*c0+0.5*c1|c1=0.5*c0+0.5*c1")
    #expect(try rest("mono beside ffmpeg", [Mono()], beside: mono) < -120)
    let width = try ffmpeg("pan=stereo|c0=1.25*c0-0.25*c1|c1=-0.25*c0+1.25*c1")
    #expect(try rest("width 1.5 beside ffmpeg", [StereoWidth(1.5)], beside: width) < -120)
  }

  @Test func `a convolution equals that of ffmpeg`() throws {
    var response = Effects.noise(8000)
    for index in response.indices { response[index] *= exp(-Float(index) / 2000) }
    let convolution = try #require(Convolution(response: response, channelCount: 1, sampleRate: 44100, wet: 1))
    // The response at the level that ours gets, which keeps that of noise.
    let stereo = convolution.response.flatMap { [$0, $0] }
    let file = ["-f", "f32le", "-ar", "44100", "-ac", "2", "-i", try write(stereo, to: "response")]
    let theirs = try ffmpeg("[0][1]afir=gtype=none", more: file)
    // Versions of ffmpeg differ by constant factors (5.1: 2): the level is compared by another test.
    let ours = Effects.processed([convolution], noise, Effects.format(2))
    let (product, square) = zip(ours, theirs).reduce((0.0, 0.0)) {
      ($0.0 + Double($1.0) * Double($1.1), $0.1 + Double($1.1) * Double($1.1))
    }
    let fitted = theirs.map { $0 * Float(product / square) }
    #expect(try rest("convolution beside ffmpeg", [convolution], beside: fitted) < -100)
  }

  @Test func `a compressor has the curve of sox`() throws {
    // Steady tones: both have swung in in the second half. Attack and release differ.
    let compressor = Compressor(threshold: -30, ratio: 4, attack: 0, release: 5, makeup: 0)
    for level in [-40.0, -20, -10] {
      let amplitude = Float(pow(10, level / 20))
      let square = (0..<2 * 44100).map { $0 / 100 % 2 == 0 ? amplitude : -amplitude }
      let raw = ["-t", "raw", "-e", "floating-point", "-b", "32", "-r", "44100", "-c", "2"]
      let command = ["sox", "-D"] + raw + [try write(square, to: "square")] + raw + ["-"]
      let theirs = try output(of: command + ["compand", "0.001,0.05", "-80,-80,-30,-30,0,-22.5"])
      let ours = Effects.processed([compressor], square, Effects.format(2))
      let levels = (Effects.level(ours, channel: 0, of: 2), Effects.level(theirs, channel: 0, of: 2))
      let difference = abs(Effects.decibels(levels.0 / levels.1))
      if getenv("SEGUE_FIGURES") != nil { print("compressor at \(level) dB beside sox: \(difference) dB") }
      #expect(difference < 0.05, "\(level) dB")
    }
  }
}
