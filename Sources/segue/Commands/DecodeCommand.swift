internal import ArgumentParser
internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Library
internal import Playback
internal import Player
internal import Streaming

/// `segue decode`: the samples that the player would pass to the sound server.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Decode an input to a WAVE, AIFF or CAF file.",
    discussion:
      "The name of the output selects the type: .aiff, .aifc, .caf, else WAVE. It keeps the input's sample rate and channels. Encoder padding is trimmed. WAVE beyond 4 GiB is RF64."
  )

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var protection: ProtectionOptions
  @OptionGroup var sound: SoundOptions
  @Option(help: ArgumentHelp("Start time in seconds, sample-accurate.", valueName: "seconds")) var start = 0.0
  @Option(help: ArgumentHelp("Maximum number of frames to write.", valueName: "count")) var frames: Int64?
  @Option(help: ArgumentHelp("Sample format; by default the one closest to the input.", valueName: "format"))
  var sampleFormat: SampleFormatOption?
  @Flag(help: "Write the samples without a header.") var raw = false
  @Flag(help: "Copy the packets of a file to a new CAF or ADTS file (.caf, .aac) without decoding them.")
  var copy = false
  @Flag(help: "Replace an existing WAVE file. Files of other types are never replaced.") var force = false
  @Option(
    name: .shortAndLong, help: ArgumentHelp("File to write, or - for standard output.", valueName: "file"))
  var output: BytePath
  @Argument(help: "An audio file, a track of a cue sheet (album.cue#3), or an address.") var input: BytePath

  func validate() throws {
    guard start.isFinite, start >= 0 else { throw ValidationError("--start must be 0 or more seconds.") }
    guard frames ?? 0 >= 0 else { throw ValidationError("--frames must be 0 or more.") }
    guard !copy || start == 0 && frames == nil && sampleFormat == nil && !raw && !force && sound.changes.isEmpty else {
      throw ValidationError("--copy copies all packets to a new file, without other options.")
    }
    guard !copy || ["caf", "aac"].contains(output.fileExtension) else {
      throw ValidationError("--copy needs an output that ends in .caf or .aac.")
    }
  }

  func run() throws {
    var destination = protection.enter(
      reading.streams, output: WAVEDestination(path: output, replacesExisting: force))
    guard !copy else { return try copyPackets(to: destination) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    let network = reading.network
    let location = MediaLocation(input)
    defer { network.shutDown() }
    var shaped: ShapedReader
    var byteCount: Int
    var isFirstEncoding = true
    do throws(TrackError) {
      shaped = try open(location, network, at: start)
      // Read before the file is created, so that an input without audio leaves no file.
      byteCount = try shaped.read(into: buffer)
      // The seek target may have another encoding.
      while byteCount == 0, let continuation = shaped.reader.continuation, let begin = continuation.seconds {
        shaped = try open(location, network, from: continuation, behind: shaped, at: start - begin)
        byteCount = try shaped.read(into: buffer)
        isFirstEncoding = false
      }
      if byteCount == 0, start == 0, let damage = shaped.reader.damage { throw TrackError.nothingDecodable(damage) }
    } catch { throw ExitCode.nothingPlayable.reporting(location, error) }
    // The information on the input describes its first encoding.
    let reader = shaped.reader
    if byteCount == 0, start > 0 {
      let seconds = isFirstEncoding ? reader.frameCount.map { Double($0) / Double(reader.pcmFormat.sampleRate) } : nil
      let length = seconds.map { ", which is \(($0 * 1000).rounded() / 1000) s long" } ?? ""
      throw ExitCode.nothingPlayable.reporting(location, "--start is not before the end of the track\(length)")
    }
    var failure: TrackError?
    var isPartial = false, isDiscarded = false
    do throws(ByteIOError) {
      destination.inputs = [input] + [reader.segment?.location.path].compactMap(\.self)
      let file = try AudioFileWriter(destination, type: type, format: reader.pcmFormat)
      do throws(ByteIOError) {
        var framesLeft = frames ?? .max
        while byteCount > 0, framesLeft > 0 {
          let frameCount = min(byteCount / reader.pcmFormat.bytesPerFrame, Int(clamping: framesLeft))
          try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<(frameCount * reader.pcmFormat.bytesPerFrame)]))
          framesLeft -= Int64(frameCount)
          do throws(TrackError) {
            byteCount = try shaped.read(into: buffer)
            while byteCount == 0, let continuation = shaped.reader.continuation {
              shaped = try open(location, network, from: continuation, behind: shaped, at: 0)
              guard shaped.reader.pcmFormat == reader.pcmFormat else {
                failure = .formatChanges(to: shaped.reader.pcmFormat, atSeconds: continuation.seconds)
                break
              }
              byteCount = try shaped.read(into: buffer)
            }
          } catch { (failure, byteCount, isPartial) = (error, 0, framesLeft > 0) }
        }
      } catch {
        file.discard()
        throw error
      }
      // A part does not replace a file that may be complete.
      isDiscarded = isPartial && file.replacesExisting
      if isDiscarded { file.discard() } else { try file.close() }
    } catch { throw ExitCode.cannotWork.reporting(output, error) }
    if let damage = reader.damage { report(location, damage) }
    if let failure {
      report(location, failure)
      if isDiscarded { report(output, "not replaced, because the input could not be read to its end") }
      throw ExitCode.someFailed
    }
  }

  /// The type that the name says; `nil` for samples alone.
  private var type: AudioFileTypeID? {
    guard !raw else { return nil }
    switch output.fileExtension {
    case "aif", "aiff": return .aiff
    case "aifc": return .aifc
    case "caf": return .caf
    default: return .wave
    }
  }

  private func open(
    _ location: MediaLocation, _ network: Network, from continuation: StreamContinuation? = nil,
    behind previous: ShapedReader? = nil, at seconds: Double
  ) throws(TrackError) -> ShapedReader {
    let link = try previous.flatMap { previous throws(TrackError) in
      try TrackReader(behind: previous.reader, sampleFormat: sampleFormat?.format)
    }
    let reader =
      if let link { link } else {
        try TrackReader(
          location: location, via: reading.via, sampleFormat: sampleFormat?.format, network: network,
          from: continuation)
      }
    // The time of a continuation is relative to it.
    let missing = continuation == nil ? reader.missingSeconds : 0
    let frame = ((seconds - missing) * Double(reader.pcmFormat.sampleRate)).rounded()
    let shaped = ShapedReader(
      reader, of: location, settings: sound.settings,
      measuredGain: PlaybackEngine.Configuration.withMeasuredGains.measuredGain)
    if frame > 0 { _ = try shaped.seek(toFrame: Int64(exactly: frame) ?? .max) }
    return shaped
  }
}

/// `--sample-format`.
enum SampleFormatOption: String, CaseIterable, ExpressibleByArgument {
  case s16, s24, s32, f32

  var format: PCMFormat.SampleFormat {
    switch self {
    case .s16: .s16
    case .s24: .s24in32
    case .s32: .s32
    case .f32: .f32
    }
  }
}
