/// Counts the frames that the server was given, what it may give back, and the silence behind them.
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
    /// The source rendered bytes. The sink may have taken what lies before the frame `firstReplaceable`, and is known
    /// to have rendered up to `rendered`.
    case wrote(byteCount: Int, firstReplaceable: Int64, rendered: Int64?)
    /// Silence of so many frames has replaced all from `frame` on.
    case wroteSilence(frameCount: Int64, at: Int64)
    /// The silence protects the end of a drained stream.
    case padded
    /// The end is not drained any more.
    case unpadded
    /// The server's buffer ran empty.
    case ranEmpty
    /// It ran empty at that frame, as the server says later.
    case emptied(at: Int64)
    /// The last frame before that was heard.
    case underran
    /// The server was told to forget what it holds, and may be given so many bytes at once.
    case flushed(byteCount: Int)
  }

  let bytesPerFrame: Int
  /// Frames written, ever.
  private(set) var writtenFrames: Int64 = 0
  /// Frames of silence behind them.
  private(set) var spareFrames: Int64 = 0
  /// Frames that were flushed or drained.
  private(set) var doneFrames: Int64 = 0
  /// The first frame that was missing when the server ran empty.
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

  /// Bytes to be rendered, where the server says that so many may be written (negative: the stream is failing).
  func wantedBytes(writable: Int) -> Int {
    let wanted = max(writable + Int(spareFrames) * bytesPerFrame, creditAfterFlush)
    return wanted - wanted % bytesPerFrame
  }

  /// The place for the next frames, relative to the end of all that was written: that of the silence which the sink
  /// cannot have taken.
  func offset(firstReplaceable: Int64) -> Int64 {
    let replaced = max(0, min(spareFrames, writtenFrames + spareFrames - firstReplaceable))
    return -replaced * Int64(bytesPerFrame)
  }

  /// The place of `frame`, relative to the end of all that was written.
  func offset(toFrame frame: Int64) -> Int64 { (frame - writtenFrames - spareFrames) * Int64(bytesPerFrame) }

  /// The first frame that the server had not rendered when `writable` bytes of `capacity` were free.
  func renderedFrame(writable: Int, capacity: Int) -> Int64 {
    writtenFrames + spareFrames + Int64((writable - capacity) / bytesPerFrame)
  }

  /// The first frame that the server has not rendered while so many frames wait, silence included.
  func renderedFrame(waitingFrames: Int64) -> Int64 {
    writtenFrames &+ spareFrames &- waitingFrames
  }

  /// True if the sink will find as much as it takes at once. Where it finds less, and more comes before that is played,
  /// PulseAudio takes back too much of a sink that rewinds, and nothing of it is heard, however often that happens.
  func holdsEnough(_ wantedFrames: Int64, heard: Int64) -> Bool {
    writtenFrames - max(doneFrames, emptyFrame, heard) >= wantedFrames
  }

  /// The frame from which on all is taken back that lies behind `frame` and `firstReplaceable`.
  func rewindTarget(notBefore frame: Int64, firstReplaceable: Int64) -> Int64 {
    min(writtenFrames, max(frame, doneFrames, firstReplaceable))
  }
}
