public import AudioModel
public import ByteIO
internal import Containers
internal import Decoding
internal import Streaming

// The frames to play: all but the encoder's padding, or those of one track in the file.
extension TrackReader {
  /// Computes `fileAudible` and `audible` from the headers and the index so far.
  func updateAudible() {
    if packets.input.isLive {
      // A header's end does not apply to a station.
      fileAudible = Int64(information.primingFrames)..<(.max)
    } else if let table = information.packetTable {
      fileAudible = Int64(table.primingFrames)..<(Int64(table.primingFrames) + max(0, table.validFrames))
    } else {
      let priming = Int64(information.primingFrames)
      fileAudible = priming..<max(priming, packets.frameCount ?? .max)
    }
    audible = segmentFrames?.clamped(to: fileAudible) ?? fileAudible
  }

  /// The track's frames according to the cue sheet, counted from the first frame of packet 0.
  var segmentFrames: Range<Int64>? {
    guard let frames = segment?.frames(atSampleRate: pcmFormat.sampleRate) else { return nil }
    let first = fileAudible.lowerBound
    return min(frames.lowerBound, .max - first) + first..<min(frames.upperBound, .max - first) + first
  }

  /// Information on an input, without decoding or indexing it: for lists.
  public static func information(of location: MediaLocation) throws(TrackError) -> MediaInformation {
    try headers(of: location).trackInformation
  }

  /// The tags of a file whose audio cannot be read; empty if there are none or it
  /// cannot be read, and for other inputs. Blocks; any thread.
  public static func tags(ofUnplayable location: MediaLocation) -> TrackTags {
    guard case .file(let path) = location, path != .standardInput, !path.isPipe else { return TrackTags() }
    let opened: OpenedInput
    do throws(TrackError) { opened = try OpenedInput(path: path, typeHint: nil) } catch { return TrackTags() }
    do throws(ContainerError) {
      return try TrackTags.readable(opened.source, typeHint: opened.typeHint)
    } catch { return TrackTags() }
  }

  /// Names the library that reads files without a parser of our own (`AudioDecoders.foreignReader`).
  public static func foreignReader(since former: String?) -> String { AudioDecoders.foreignReader(since: former) }

  /// The pictures that the tags name, and the file in which they are: that of a cue sheet's track is the audio file.
  /// `nil` for an address. Blocks; any thread.
  public static func artwork(
    of location: MediaLocation
  ) throws(TrackError) -> (file: BytePath, pictures: [TrackTags.Artwork])? {
    let reader = try headers(of: location)
    guard let file = (reader.segment?.location ?? location).path else { return nil }
    return (file, reader.information.tags.artwork)
  }

  private static func headers(of location: MediaLocation) throws(TrackError) -> PacketReader {
    do throws(TrackError) { return try PacketReader(location: location, via: .file) } catch {
      guard error.isUnknownFormat else { throw error }
      return try PacketReader(location: location)
    }
  }
}
