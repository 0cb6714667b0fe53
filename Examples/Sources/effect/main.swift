// effect FILE OUT.wav: renders a file with an effect of one's own, and a reverb behind it, to a WAVE file.
import Glibc
import SegueAudio

/// An effect is a value: its parameters. Its nodes do the work, one for each track.
struct Tremolo: AudioEffect {
  var frequency = 5.0
  var depth = 0.8

  var words: String { "tremolo frequency=\(frequency) depth=\(depth)" }
  var isNeutral: Bool { depth == 0 }
  func makeNode() -> any AudioEffectNode { TremoloNode(self) }
}

/// Turns the level up and down. Nothing in `process` locks, allocates or waits.
final class TremoloNode: AudioEffectNode {
  private let tremolo: Tremolo
  private var channelCount = 1
  private var step = 0.0
  private var phase = 0.0

  init(_ tremolo: Tremolo) { self.tremolo = tremolo }

  func prepare(format: PCMFormat, maximumFrames: Int) {
    channelCount = format.channelCount
    step = 2 * .pi * tremolo.frequency / Double(format.sampleRate)
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    for frame in 0..<samples.count / channelCount {
      let gain = Float(1 - tremolo.depth * (0.5 - 0.5 * cos(phase)))
      for channel in 0..<channelCount { samples[frame * channelCount + channel] *= gain }
      phase += step
    }
  }

  func reset() { phase = 0 }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: effect FILE OUT.wav")
  exit(2)
}
do {
  // Packets, decoder and gapless trim in one; samples as floats.
  let reader = try TrackReader(location: MediaLocation(arguments[1]), sampleFormat: .f32)
  let format = reader.pcmFormat
  let writer = try AudioFileWriter(path: BytePath(arguments[2]), format: format)
  let chain = EffectChain([Tremolo(), Reverb(size: 0.2, wet: 0.2)], format: format)
  let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096 * format.channelCount)
  defer { samples.deallocate() }
  while case let count = try reader.read(into: UnsafeMutableRawBufferPointer(samples)), count > 0 {
    let read = UnsafeMutableBufferPointer(rebasing: samples[..<(count / 4)])
    chain.process(read)
    try writer.write(UnsafeRawBufferPointer(read))
  }
  print("rendered \(writer.frameCount) frames")
  // The room sounds on when the music is over.
  var tail = chain.latencyFrames + chain.tailFrames
  while tail > 0 {
    let rest = UnsafeMutableBufferPointer(rebasing: samples[..<(min(tail, 4096) * format.channelCount)])
    rest.update(repeating: 0)
    chain.process(rest)
    try writer.write(UnsafeRawBufferPointer(rest))
    tail -= min(tail, 4096)
  }
  try writer.close()
  print("with its tail \(writer.frameCount) frames")
} catch {
  print("cannot render: \(error)")
  exit(1)
}
