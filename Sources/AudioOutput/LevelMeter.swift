internal import AudioModel

/// The levels of the frames in the device's buffer, by blocks of 1/50 s, so that each can be reported when it plays.
struct LevelMeter {
  private struct Block {
    /// The number of the block among the device's frames.
    var number: Int64 = -1
    var frameCount = 0
  }

  private let format: PCMFormat
  private let blockFrames: Int
  private var blocks: [Block]
  /// The channels of each block.
  private var peaks: [Float]
  private var squares: [Float]
  private var floats: [Float] = []
  private var nextFrame: Int64 = 0

  /// A meter that keeps the levels of `seconds` of sound.
  init(format: PCMFormat, seconds: Double) {
    self.format = format
    blockFrames = max(1, format.sampleRate / 50)
    let count = Int(seconds * 50) + 2
    blocks = Array(repeating: Block(), count: count)
    peaks = Array(repeating: 0, count: count * format.channelCount)
    squares = peaks
  }

  /// Measures frames. The first one is that frame of the device.
  mutating func measure(_ bytes: UnsafeRawBufferPointer, atDeviceFrame first: Int64) {
    // After a rewind the start of the current block is not known.
    let isJoined = first == nextFrame
    var frame = first
    var rest = bytes[...]
    while !rest.isEmpty {
      let number = frame / Int64(blockFrames)
      let count = min(rest.count / format.bytesPerFrame, Int((number + 1) * Int64(blockFrames) - frame))
      guard count > 0 else { break }
      let slot = Int(number % Int64(blocks.count))
      if blocks[slot].number != number || frame == first && !isJoined { clear(slot, number) }
      add(UnsafeRawBufferPointer(rebasing: rest.prefix(count * format.bytesPerFrame)), count, to: slot)
      rest = rest.dropFirst(count * format.bytesPerFrame)
      frame += Int64(count)
    }
    nextFrame = frame
  }

  /// The level of each channel in the block of a device frame; `nil` if it was not measured.
  func levels(atDeviceFrame frame: Int64) -> [AudioLevel]? {
    let number = max(0, frame) / Int64(blockFrames)
    let slot = Int(number % Int64(blocks.count))
    guard blocks[slot].number == number, blocks[slot].frameCount > 0 else { return nil }
    return (slot * format.channelCount..<(slot + 1) * format.channelCount).map {
      AudioLevel(average: (squares[$0] / Float(blocks[slot].frameCount)).squareRoot(), peak: peaks[$0])
    }
  }

  private mutating func clear(_ slot: Int, _ number: Int64) {
    blocks[slot] = Block(number: number)
    for index in slot * format.channelCount..<(slot + 1) * format.channelCount {
      (peaks[index], squares[index]) = (0, 0)
    }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer, _ frameCount: Int, to slot: Int) {
    let sampleCount = frameCount * format.channelCount
    if floats.count < sampleCount { floats = Array(repeating: 0, count: sampleCount) }
    floats.withUnsafeMutableBufferPointer { format.sampleFormat.load(bytes, into: $0) }
    blocks[slot].frameCount += frameCount
    for channel in 0..<format.channelCount {
      var (peak, sum) = (Float(0), Float(0))
      for index in stride(from: channel, to: sampleCount, by: format.channelCount) {
        peak = max(peak, abs(floats[index]))
        sum += floats[index] * floats[index]
      }
      let place = slot * format.channelCount + channel
      peaks[place] = max(peaks[place], peak)
      squares[place] += sum
    }
  }
}
