/// Counts the frames that were written to the server, and the silence after them.
///
/// ```
/// 0 ......... doneFrames ......... writtenFrames ......... writtenFrames + spareFrames
///   flushed or drained     in the server       silence, to be overwritten
/// ```
/// Pure. Frames are counted as the source rendered them; offsets and sizes of the server are in bytes.
struct WriteLedger {
  enum Event: Equatable {
    /// The server requested frames.
    case requested
    /// The source rendered bytes. The sink may hold the frames before `firstReplaceable`, and is known to have rendered
    /// up to `rendered`.
    case wrote(byteCount: Int, firstReplaceable: Int64, rendered: Int64?)
    /// So many frames of silence have replaced all frames from `frame` on.
    case wroteSilence(frameCount: Int64, at: Int64)
    /// The silence protects the end of a drained stream.
    case padded
    /// The drain was cancelled.
    case unpadded
    /// The server's buffer ran empty.
    case ranEmpty
    /// It ran empty at that frame, as the server reports later.
    case emptied(at: Int64)
    /// The last frame before that has played.
    case underran
    /// The server's buffer was flushed, and takes so many bytes at once.
    case flushed(byteCount: Int)
  }

  let bytesPerFrame: Int
  /// Frames written, ever.
  private(set) var writtenFrames: Int64 = 0
  /// Frames of silence after them.
  private(set) var spareFrames: Int64 = 0
  /// Frames that were flushed or drained.
  private(set) var doneFrames: Int64 = 0
  /// The first missing frame when the server ran empty.
  private(set) var emptyFrame: Int64 = 0
  /// The last frames are followed by silence.
  private(set) var isPadded = false
  /// The ends of the pieces that the server may not have rendered yet, in order.
  private(set) var seams: [Int64] = []
  /// Bytes that may be written although the server's request for them, after a flush, is still on its way.
  private var creditAfterFlush = 0

  init(bytesPerFrame: Int) { self.bytesPerFrame = bytesPerFrame }

  mutating func handle(_ event: Event) {
    switch event {
    case .requested: creditAfterFlush = 0
    case .wrote(let byteCount, _, let rendered):
      spareFrames = 0
      writtenFrames += Int64(byteCount / bytesPerFrame)
      if let rendered { seams.removeAll { $0 <= rendered } }
      seams.append(writtenFrames)
      creditAfterFlush = max(0, creditAfterFlush - byteCount)
    case .wroteSilence(let frameCount, let frame):
      (writtenFrames, spareFrames) = (frame, frameCount)
      seams = seams.filter { $0 < frame } + [frame]
    case .padded: isPadded = true
    case .unpadded: isPadded = false
    case .ranEmpty where isPadded: break  // The silence may be newer than the message.
    case .ranEmpty:
      spareFrames = 0  // Played.
      emptyFrame = writtenFrames
    case .emptied(let frame): emptyFrame = frame
    case .underran: doneFrames = max(doneFrames, emptyFrame)
    case .flushed(let byteCount):
      creditAfterFlush = byteCount
      doneFrames = writtenFrames
      spareFrames = 0
      seams = []
      isPadded = false
    }
  }

  // MARK: Decisions

  /// True if the server holds frames that are neither flushed nor drained.
  var hasFrames: Bool { writtenFrames > doneFrames }

  /// Bytes to render if the server has room for `writable` bytes (negative: the stream is failing).
  func wantedBytes(writable: Int) -> Int {
    let wanted = max(writable + Int(spareFrames) * bytesPerFrame, creditAfterFlush)
    return wanted - wanted % bytesPerFrame
  }

  /// The offset of the next frames, relative to the end of all written bytes: they replace the silence that the sink
  /// cannot hold.
  func offset(firstReplaceable: Int64) -> Int64 {
    let replaced = max(0, min(spareFrames, writtenFrames + spareFrames - firstReplaceable))
    return -replaced * Int64(bytesPerFrame)
  }

  /// The offset of `frame`, relative to the end of all written bytes.
  func offset(toFrame frame: Int64) -> Int64 { (frame - writtenFrames - spareFrames) * Int64(bytesPerFrame) }

  /// The first frame that the server had not rendered when `writable` bytes of `capacity` were free.
  func renderedFrame(writable: Int, capacity: Int) -> Int64 {
    writtenFrames + spareFrames + Int64((writable - capacity) / bytesPerFrame)
  }

  /// The first frame that the server has not rendered while so many frames wait, silence included.
  func renderedFrame(waitingFrames: Int64) -> Int64 {
    writtenFrames &+ spareFrames &- waitingFrames
  }

  /// True if a padded stream has played, by a server that ran empty and has rendered all before `frame`. One that keeps a
  /// part of a block keeps silence.
  func hasEnded(before frame: Int64, keepsPartOfBlock: Bool) -> Bool {
    frame >= writtenFrames + (keepsPartOfBlock ? 0 : spareFrames)
  }

  /// The frames that the server and its sink have left.
  func heldFrames(heard: Int64) -> Int64 { max(0, writtenFrames - max(doneFrames, emptyFrame, heard)) }

  /// True if the server holds as much as the sink takes at once. If a sink that rewinds finds less, and more frames
  /// come before it has played them, PulseAudio rewinds it too far, repeatedly, and nothing is audible.
  func holdsEnough(_ wantedFrames: Int64, heard: Int64) -> Bool { heldFrames(heard: heard) >= wantedFrames }

  /// The first frame that a rewind can take back: not before `frame`, `firstReplaceable` or drained frames.
  func rewindTarget(notBefore frame: Int64, firstReplaceable: Int64) -> Int64 {
    min(writtenFrames, max(frame, doneFrames, firstReplaceable))
  }
}
