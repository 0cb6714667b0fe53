import AudioModel
import SignalProcessing
import Testing

@Suite struct `A crossfade` {
  private let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)

  private func steady(_ value: Int16, frames: Int) -> [Int16] { Array(repeating: value, count: frames * 2) }

  private func mixed(_ fade: Crossfade, _ coming: [Int16], _ leaving: [Int16], pieces: [Int]) -> [Int16] {
    var result = coming
    result.withUnsafeMutableBytes { bytes in
      leaving.withUnsafeBytes { other in
        var frame = 0
        for piece in pieces {
          let range = frame * 4..<min((frame + piece) * 4, bytes.count)
          fade.process(
            UnsafeMutableRawBufferPointer(rebasing: bytes[range]), .coming,
            with: UnsafeRawBufferPointer(rebasing: other[range.clamped(to: 0..<other.count)]), firstFrame: Int64(frame))
          frame += piece
        }
      }
    }
    return result
  }

  @Test func `keeps the power of two pieces, and the amplitude of one`() {
    let music = Crossfade(.equalPower, frameCount: 1000, format: format)
    let versions = Crossfade(.linear, frameCount: 1000, format: format)
    for frame in -1...1000 as ClosedRange<Int64> {
      let (power, line) = (music.gains(atFrame: frame), versions.gains(atFrame: frame))
      #expect(abs(power.leaving * power.leaving + power.coming * power.coming - 1) < 1e-12)
      #expect(abs(line.leaving + line.coming - 1) < 1e-12)
      #expect(power.coming == music.gains(atFrame: 999 - frame).leaving || abs(power.coming - 0.5) < 0.5)
    }
    #expect(music.gains(atFrame: -1) == (1, 0) && music.gains(atFrame: 1000) == (0, 1))
    #expect(abs(music.gains(atFrame: 499).coming - 0.5.squareRoot()) < 0.001)
  }

  @Test(arguments: [[2000], [1, 255, 256, 257, 1231], Array(repeating: 100, count: 20)])
  func `adds up by its curve however it is cut, and is over to the bit`(pieces: [Int]) {
    let fade = Crossfade(.equalPower, frameCount: 1000, format: format)
    let (coming, leaving) = (steady(8001, frames: 2000), steady(-4003, frames: 2000))
    let result = mixed(fade, coming, leaving, pieces: pieces)
    for frame in 0..<1000 {
      let gains = fade.gains(atFrame: Int64(frame))
      let sum = 8001 * gains.coming - 4003 * gains.leaving
      // Dither is one step, rounding half of one.
      #expect(abs(Double(result[frame * 2]) - sum) <= 1.5 && abs(Double(result[frame * 2 + 1]) - sum) <= 1.5)
    }
    #expect(result[2000...] == coming[2000...])
  }

  @Test func `of full scale is turned down, not cut off`() {
    let fade = Crossfade(.equalPower, frameCount: 1000, format: format)
    let wave = (0..<2000).map { Int16($0 / 2 % 2 == 0 ? 32767 : -32767) }
    let result = mixed(fade, wave, wave, pieces: [1000])
    // Up again within a tenth of a second, which is longer than this one.
    #expect(result.allSatisfy { abs(Int($0)) > 22_000 })
    let floats = PCMFormat(sampleRate: 44100, channelCount: 1, sampleFormat: .f32)
    var samples: [Float] = Array(repeating: 1, count: 1000)
    let others = samples
    samples.withUnsafeMutableBytes { bytes in
      others.withUnsafeBytes {
        Crossfade(.equalPower, frameCount: 1000, format: floats).process(bytes, .coming, with: $0, firstFrame: 0)
      }
    }
    #expect(samples.allSatisfy { $0 <= 1.0001 && $0 > 0.67 })
  }

  @Test func `mixes silence where the other side has ended, and fades out alone`() {
    let fade = Crossfade(.equalPower, frameCount: 1000, format: format)
    let result = mixed(fade, steady(8000, frames: 1000), steady(8000, frames: 100), pieces: [1000])
    #expect(abs(Double(result[1998]) - 8000) <= 2)
    #expect(abs(Double(result[200]) - 8000 * fade.gains(atFrame: 100).coming) <= 2)
    var alone = steady(8000, frames: 1200)
    alone.withUnsafeMutableBytes { fade.process($0, .leaving, firstFrame: 0) }
    #expect(abs(Double(alone[1000]) - 8000 * fade.gains(atFrame: 500).leaving) <= 2)
    #expect(alone[2000...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [-2000, -1500, -1200, -1]) func `leaves the samples before it as they are`(firstFrame: Int64) {
    let fade = Crossfade(.equalPower, frameCount: 1000, format: format)
    var alone = steady(8000, frames: 1500)
    alone.withUnsafeMutableBytes { fade.process($0, .leaving, firstFrame: firstFrame) }
    let before = Int(min(1500, -firstFrame)) * 2
    #expect(alone[..<before].allSatisfy { $0 == 8000 })
    for frame in before / 2..<1500 {
      let gain = fade.gains(atFrame: Int64(frame) + firstFrame).leaving
      #expect(abs(Double(alone[frame * 2]) - 8000 * gain) <= 2)
    }
  }
}
