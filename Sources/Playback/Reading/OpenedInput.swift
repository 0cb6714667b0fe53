internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

/// Bytes that were opened for a `PacketReader`, and what is known about them from elsewhere.
struct OpenedInput {
  let source: any ByteSource
  /// The source, if it is a network stream.
  var stream: NetworkByteSource?
  /// The source, if it is a file on disk.
  var file: PlayedFile?
  var typeHint: AudioFileTypeID?
  /// The requested part.
  var segment: TrackSegment?

  /// Bytes of any kind.
  init(_ source: any ByteSource, typeHint: AudioFileTypeID?) { (self.source, self.typeHint) = (source, typeHint) }

  /// Opens a file on disk; blocks.
  init(path: BytePath, typeHint: AudioFileTypeID?) throws(TrackError) {
    let file: PlayedFile
    do throws(ByteIOError) { file = try PlayedFile(path: path) } catch { throw .source(error) }
    self.init(file, typeHint: typeHint ?? AudioFileTypeID.types(forExtension: path.fileExtension).first)
    self.file = file
  }

  /// Waits until a stream is open. Its name gives the type if its server does not.
  init(
    stream: NetworkByteSource, name: String, typeHint: AudioFileTypeID?, segment: TrackSegment? = nil
  ) throws(TrackError) {
    do throws(ByteIOError) { try stream.waitUntilOpen() } catch { throw .source(error) }
    self.init(stream, typeHint: typeHint ?? AudioFileTypeID.hint(mimeType: stream.contentType, url: name))
    (self.stream, self.segment) = (stream, segment)
  }

  /// Opens an input of any kind, or the rest of it after the place at which another reader ended; blocks.
  init(
    location: MediaLocation, part: TrackPart?, typeHint: AudioFileTypeID?, network: Network?,
    from continuation: StreamContinuation?
  ) throws(TrackError) {
    if let segment = try TrackSegment.named(location, part: part, network: network) {
      try self.init(location: segment.location, part: nil, typeHint: typeHint, network: network, from: nil)
      self.segment = segment
      return
    }
    guard !location.isCueSheet else {
      throw .container(ContainerError(.unsupportedFileType, "a cue sheet has tracks: \(location.name)#1 is the first"))
    }
    let stream: NetworkByteSource?
    do throws(NetworkError) { stream = try network?.stream(at: location, from: continuation) } catch {
      throw .source(error.byteIOError("open"))
    }
    switch (stream, location) {
    case (let stream?, _): try self.init(stream: stream, name: location.text, typeHint: typeHint)
    case (nil, .file(let path)):
      // Standard input is a file if it is redirected from one.
      try self.init(path: path == .standardInput ? BytePath("/dev/stdin") : path, typeHint: typeHint)
    case (nil, .track), (nil, .url):
      throw .container(ContainerError(.operationNotSupported, "network streams are not read here"))
    }
  }
}
