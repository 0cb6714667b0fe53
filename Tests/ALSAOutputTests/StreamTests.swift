@testable import ALSAOutput
import AudioModel
import AudioOutput
import SoundServerSupport
import Testing
import Threads

/// Streams on ALSA's plug-in `file`, which takes frames as fast as they come.
@Suite struct `A stream on a device` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func stream(
    _ format: PCMFormat, _ source: Source, _ change: (ALSAOutput) -> Void = { _ in }
  ) -> (ALSAOutput, any AudioOutputStream) {
    let output = ALSAOutput(device: Device.file(folder("heard")))
    change(output)
    return (output, output.openStream(format, buffering: buffering, source: source))
  }

  /// In a test, a comparison of long arrays that fails would look for their differences.
  private func isHeard(_ bytes: [UInt8], in name: String = "heard") -> Bool { contents(of: folder(name)) == bytes }

  @Test(
    arguments: [
      (44100, 2, .s16), (96000, 2, .s32), (44100, 1, .s16), (192_000, 2, .f32), (8000, 2, .s16), (44100, 32, .s16),
    ] as [(Int, Int, PCMFormat.SampleFormat)])
  func `every byte is heard, once, in order`(rate: Int, channelCount: Int, samples: PCMFormat.SampleFormat) throws {
    let format = PCMFormat(sampleRate: rate, channelCount: channelCount, sampleFormat: samples)
    let source = Source(frameCount: 100_003, bytesPerFrame: format.bytesPerFrame)
    let (_, stream) = stream(format, source)
    stream.resume()
    stream.drain()
    #expect(source.waitFor("drained"))
    #expect(isHeard(source.bytes))
    #expect(stream.clock.frame(at: .now) == 100_003 && !stream.clock.isAdvancing)
    let events = source.events
    #expect(events.first?.hasPrefix("routeChanged") == true && events.contains("started"))
    stream.close()
  }

  @Test(arguments: [1, 2, 100, 4096, 4097])
  func `short sounds are heard`(frameCount: Int) {
    let source = Source(frameCount: frameCount, bytesPerFrame: 4)
    let (_, stream) = stream(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16), source)
    stream.drain()
    stream.resume()
    #expect(source.waitFor("drained"))
    #expect(isHeard(source.bytes))
    stream.close()
  }

  @Test func `a stream without frames ends, and opens nothing`() {
    let source = Source(frameCount: 0, bytesPerFrame: 4)
    let (_, stream) = stream(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16), source)
    stream.resume()
    stream.drain()
    #expect(source.waitFor("drained"))
    #expect(source.events == ["drained"])
    stream.close()
  }

  @Test func `pauses and waits for frames lose and repeat nothing`() {
    let source = Source(frameCount: 300_000, bytesPerFrame: 4)
    source.limit(toFrame: 0)
    let (_, stream) = stream(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16), source)
    stream.resume()
    for frame in stride(from: 30_000, through: 300_000, by: 30_000) {
      source.limit(toFrame: frame)
      stream.sourceHasFrames()
      if frame % 60_000 == 0 {
        #expect(waitUntil { stream.clock.frame(at: stream.clock.referenceTime) == Int64(frame) })
      }
      stream.pause()
      let place = stream.clock.frame(at: .now)
      #expect(!stream.clock.isAdvancing && place <= frame)
      stream.resume()
    }
    stream.drain()
    #expect(source.waitFor("drained"))
    #expect(isHeard(source.bytes))
    stream.close()
  }

  @Test func `after a flush follow the next frames`() {
    let source = Source(frameCount: 100_000, bytesPerFrame: 4)
    source.limit(toFrame: 20_000)
    let (_, stream) = stream(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16), source)
    stream.resume()
    #expect(source.waitFor("underrun"))
    // Paused, so that what is rendered is not heard.
    stream.pause()
    source.limit(toFrame: 25_000)
    stream.sourceHasFrames()
    #expect(waitUntil { source.state.withLock { $0.place } == 25_000 * 4 })
    stream.flush()
    #expect(stream.clock.frame(at: .now) == 25_000)
    source.limit(toFrame: 100_000)
    stream.sourceHasFrames()
    stream.resume()
    stream.drain()
    #expect(source.waitFor("drained"))
    #expect(isHeard(Array(source.bytes[..<80_000] + source.bytes[100_000...])))
    stream.close()
  }

  @Test func `frames that were not heard are taken back`() {
    let source = Source(frameCount: 20_000, bytesPerFrame: 4)
    source.limit(toFrame: 10_000)
    let (_, stream) = stream(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16), source)
    stream.sourceHasFrames()
    #expect(waitUntil { source.state.withLock { $0.place } == 40_000 })
    #expect(stream.rewind(toFrame: 6000))
    #expect(stream.rewind(notBefore: 9000) == 6000)
    #expect(stream.rewind(notBefore: 5000) == 5000)
    source.limit(toFrame: 20_000)
    stream.sourceHasFrames()
    stream.resume()
    stream.drain()
    #expect(source.waitFor("drained"))
    #expect(isHeard(Array(source.bytes[..<20_000] + source.bytes[40_000...])))
    #expect(!stream.rewind(toFrame: 0))
    stream.close()
  }

  @Test func `the volume multiplies, and silence is silent`() {
    for (volume, isMuted) in [(0.5, false), (1.0, true), (0.0, false), (.nan, false)] {
      let source = Source(frameCount: 20_000, bytesPerFrame: 4)
      let (_, stream) = stream(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16), source) {
        $0.setVolume(volume, isMuted: isMuted)
      }
      stream.resume()
      stream.drain()
      #expect(source.waitFor("drained"))
      let gain = isMuted ? 0 : volume.isNaN ? 1 : volume * volume * volume
      let samples = { (bytes: [UInt8]) in bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } }
      let expected = samples(source.bytes).map { Int16((Double($0) * gain).rounded()) }
      let isScaled = samples(contents(of: folder("heard"))) == expected
      #expect(isScaled)
      stream.close()
    }
  }

  @Test func `two streams play one after the other`() {
    let output = ALSAOutput(device: Device.file(folder("heard-%r")))
    let (first, second) = (Source(frameCount: 50_000, bytesPerFrame: 4), Source(frameCount: 60_000, bytesPerFrame: 8))
    first.limit(toFrame: 40_000)
    let streams = [(44100, PCMFormat.SampleFormat.s16, first), (96000, .s32, second)].map {
      output.openStream(
        PCMFormat(sampleRate: $0.0, channelCount: 2, sampleFormat: $0.1), buffering: buffering, source: $0.2)
    }
    streams[0].resume()
    #expect(first.waitFor("underrun"))
    streams[1].resume()
    streams[1].drain()
    first.limit(toFrame: 50_000)
    streams[0].drain()
    #expect(first.waitFor("drained"))
    #expect(second.events == [])
    streams[0].close()
    #expect(second.waitFor("drained"))
    #expect(isHeard(first.bytes, in: "heard-44100") && isHeard(second.bytes, in: "heard-96000"))
    streams[1].close()
  }

  @Test func `an unknown device fails with a sentence`() {
    let output = ALSAOutput(device: "hw:CARD=nowhere,DEV=0")
    let source = Source(frameCount: 1000, bytesPerFrame: 4)
    let stream = output.openStream(SignalPlayer.format, buffering: buffering, source: source)
    stream.resume()
    #expect(source.waitFor("failed"))
    // The reason depends on the configuration that libasound has read: another test may have set one.
    let sentence = source.events.last ?? ""
    #expect(sentence.hasPrefix("failed(there is no such sound device (hw:CARD=nowhere,DEV=0: No such "))
    #expect(sentence.hasSuffix("): `aplay -L` lists the devices)"))
    stream.close()
  }

  @Test func `a card that another program keeps is asked for once`() {
    let asked = Guarded<[Int32]>([])
    let output = ALSAOutput(
      device: "hw:7,0",
      reserve: { card in
        asked.withLock { $0.append(card) }
        return .refused
      })
    let source = Source(frameCount: 1000, bytesPerFrame: 4)
    let stream = output.openStream(SignalPlayer.format, buffering: buffering, source: source)
    stream.resume()
    #expect(source.waitFor("failed"))
    #expect(source.events.last?.contains("another program keeps the sound card hw:7,0; retrying") == true)
    #expect(asked.withLock { $0 } == [7])
    stream.close()
  }
}
