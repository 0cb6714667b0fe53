internal import AudioModel
internal import ByteIO
internal import Commands
internal import Glibc
internal import Playback
package import SignalProcessing
internal import Threads

/// The files that effects are made of: profiles of equalisers, impulse responses, and presets, which are lists of effects.
///
/// A name is a path, or that of a file in `effects`, beside `config`. What was read is kept until the file changes.
package struct SoundFiles: EffectFiles {
  /// The files in the listener's folder.
  package static let standard = SoundFiles(folder: UserFolders().configuration?.appending(BytePath("effects")))

  let folder: BytePath?
  private let equalizers = Guarded<[String: Known<ParametricEqualizer>]>([:])
  private let convolutions = Guarded<[String: Known<Convolution>]>([:])

  init(folder: BytePath?) { self.folder = folder }

  private struct Known<Effect: AudioEffect> {
    var version: [Int]
    var effect: Effect
  }

  private static let textByteLimit = 1 << 18

  package func equalizer(_ name: String) throws(EffectList.TextError) -> ParametricEqualizer {
    if let equalizer = known(name, equalizers) { return equalizer }
    let text = try text(name)
    do throws(ParametricEqualizer.ProfileError) {
      return keep(try ParametricEqualizer(profile: text, name: name), name, equalizers)
    } catch { throw EffectList.TextError(description: "\(name): \(error)") }
  }

  package func convolution(_ name: String) throws(EffectList.TextError) -> Convolution {
    if let convolution = known(name, convolutions) { return convolution }
    do throws(TrackError) {
      let (samples, format) = try samples(name)
      if let convolution = Convolution(
        response: samples, channelCount: format.channelCount, sampleRate: format.sampleRate, name: name)
      {
        return keep(convolution, name, convolutions)
      }
    } catch { throw EffectList.TextError(description: "\(name): \(error.text(.reason))") }
    throw EffectList.TextError(description: "\(name): no impulse response of at most 10 s")
  }

  /// All samples, up to the first that is too many.
  private func samples(_ name: String) throws(TrackError) -> ([Float], PCMFormat) {
    let reader = try TrackReader(location: .file(path(name)), sampleFormat: .f32)
    let channelCount = reader.pcmFormat.channelCount
    var samples: [Float] = []
    var block = [Float](repeating: 0, count: 4096 * channelCount)
    while samples.count <= Convolution.maximumFrameCount * channelCount {
      let result = block.withUnsafeMutableBytes { bytes in
        Result { () throws(TrackError) in try reader.read(into: bytes) }
      }
      let count = try result.get() / MemoryLayout<Float>.size
      guard count > 0 else { break }
      samples += block[..<count]
    }
    return (samples, reader.pcmFormat)
  }

  /// A preset: an effect in each line, remarks behind `#`.
  package func preset(_ name: String) throws(EffectList.TextError) -> EffectList {
    let lines = try text(name).split(whereSeparator: \.isNewline).map { line in
      String(line.prefix { $0 != "#" })
    }
    let list = lines.filter { $0.contains { $0 != " " && $0 != "\t" } }.joined(separator: "; ")
    do throws(EffectList.TextError) { return try EffectList(list, files: self) } catch {
      throw EffectList.TextError(description: "\(name): \(error)")
    }
  }

  // MARK: Files

  private func path(_ name: String) -> BytePath {
    let path = BytePath(name)
    if path.isAbsolute { return path }
    if name.hasPrefix("~/"), let home = getenv("HOME") {
      return BytePath(String(cString: home)).appending(BytePath(String(name.dropFirst(2))))
    }
    return folder?.appending(path) ?? path
  }

  private func text(_ name: String) throws(EffectList.TextError) -> String {
    do throws(ByteIOError) {
      return String(decoding: try wholeFile(path(name), byteLimit: Self.textByteLimit), as: UTF8.self)
    } catch { throw EffectList.TextError(description: "\(path(name)): \(error)") }
  }

  private func version(_ name: String) -> [Int] {
    var status = stat()
    guard path(name).withCString({ stat($0, &status) }) == 0 else { return [] }
    return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
  }

  private func known<Effect>(_ name: String, _ all: Guarded<[String: Known<Effect>]>) -> Effect? {
    guard let found = all.withLock({ $0[name] }), found.version == version(name) else { return nil }
    return found.effect
  }

  private func keep<Effect>(_ effect: Effect, _ name: String, _ all: Guarded<[String: Known<Effect>]>) -> Effect {
    let version = version(name)
    all.withLock { $0[name] = Known(version: version, effect: effect) }
    return effect
  }
}
