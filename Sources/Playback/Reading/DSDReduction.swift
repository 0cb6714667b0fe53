internal import AudioModel
internal import Decoding
internal import SignalProcessing

/// Converts DSD, which libavcodec returns as floats at an eighth of its rate, to a playable rate: DSD64 to 88.2 kHz,
/// higher rates to 176.4 kHz.
struct DSDReduction {
  private var decimator: Decimator
  /// Frames before this one are dropped.
  private var firstFrame: Int64 = 0
  private var output: [Float] = []
  private var isFinished = false

  /// A reduction of samples in the format `pcm`.
  init(_ pcm: AudioStreamBasicDescription) {
    var factor = 4
    while pcm.sampleRate / Double(factor) > 192_000, factor < 64 { factor *= 2 }
    decimator = Decimator(factor: factor, channelCount: max(1, pcm.channelsPerFrame))
  }

  private var factor: Int64 { Int64(decimator.factor) }

  /// The number of frames after the reduction.
  func frameCount(_ count: Int64) -> Int64 { (count + factor - 1) / factor }

  /// The format after the reduction.
  func applied(to pcm: AudioStreamBasicDescription) -> AudioStreamBasicDescription {
    var reduced = pcm
    reduced.sampleRate /= Double(factor)
    return reduced
  }

  /// Prepares for a seek to `frame`. Returns the input frame at which to continue.
  mutating func seek(toFrame frame: Int64) -> Int64 {
    let start = max(0, frame * factor - Int64(decimator.reach))
    decimator.reset(atInputFrame: start)
    (firstFrame, isFinished) = (frame, false)
    return start
  }

  mutating func apply(to chunk: inout LibavAudioFile.Chunk) {
    let start = decimator.nextOutputFrame
    output.removeAll(keepingCapacity: true)
    chunk.bytes.withUnsafeBytes { decimator.process($0.bindMemory(to: Float.self), into: &output) }
    give(&chunk, from: start)
  }

  /// Returns the last frames as a chunk, once; false if there are none.
  mutating func finish(into chunk: inout LibavAudioFile.Chunk) -> Bool {
    guard !isFinished else { return false }
    isFinished = true
    let start = decimator.nextOutputFrame
    output.removeAll(keepingCapacity: true)
    decimator.finish(into: &output)
    give(&chunk, from: start)
    return chunk.frameCount > 0
  }

  private mutating func give(_ chunk: inout LibavAudioFile.Chunk, from start: Int64) {
    let count = Int(decimator.nextOutputFrame - start)
    let excess = Int(max(0, min(Int64(count), firstFrame - start)))
    let channelCount = count > 0 ? output.count / count : 0
    output.removeFirst(excess * channelCount)
    (chunk.startFrame, chunk.frameCount) = (start + Int64(excess), count - excess)
    chunk.bytes = output.withUnsafeBytes { Array($0) }
  }
}
