internal import ByteIO
internal import CLibav
internal import Glibc

/// A byte source as libavformat reads it. Owns an `AVIOContext`, whose callbacks point here.
///
/// Each call of the library may read a limited number of bytes for a limited time, so that no hostile file keeps it
/// busy.
final class LibavInput {
  private(set) var context: UnsafeMutablePointer<AVIOContext>?
  /// The reason why the last read failed; the library passes only a number.
  private(set) var failure: ByteIOError?
  private let library: segue_avformat
  private let source: any ByteSource
  /// Bytes that the library reads otherwise than they are.
  var changes: [(offset: Int, value: UInt8)] = []
  private var position: Int64 = 0
  private var budget: Int64 = 0
  private var watch = CallWatch()
  /// True if the last call took too long: its reads fail from then on.
  private(set) var isOverdue = false
  /// True if the last call has met the end of the source.
  private(set) var isAtEnd = false

  private static let bufferByteCount = 1 << 14

  init(_ source: any ByteSource, isSeekable: Bool, library: segue_avformat) {
    (self.source, self.library) = (source, library)
    let buffer = library.av_malloc(Self.bufferByteCount)?.assumingMemoryBound(to: UInt8.self)
    context = library.avio_alloc_context(
      buffer, Int32(Self.bufferByteCount), 0, Unmanaged.passUnretained(self).toOpaque(),
      { LibavInput.of($0)?.read(into: $1, count: $2) ?? AVERROR_EIO }, nil,
      { LibavInput.of($0)?.seek(to: $1, from: $2) ?? -1 })
    context?.pointee.seekable = isSeekable ? AVIO_SEEKABLE_NORMAL : 0
  }

  deinit {
    // The library may have replaced the buffer.
    library.av_free(context?.pointee.buffer)
    library.avio_context_free(&context)
  }

  /// Prepares for a call that may read that many bytes.
  func allow(_ byteCount: Int64) {
    (budget, failure, isOverdue, isAtEnd) = (byteCount, nil, false, false)
    watch.start()
    // A failed read is not the end: more bytes may have arrived.
    context?.pointee.eof_reached = 0
    context?.pointee.error = 0
  }

  private var givesUp: Bool {
    if !isOverdue { isOverdue = watch.isOverdue }
    return isOverdue
  }

  /// The place where the library reads next.
  var byteOffset: Int64 { position }

  /// The place of the next byte that the library takes, of those in its buffer.
  var readPlace: Int64 {
    guard let context = context?.pointee, let next = context.buf_ptr, let end = context.buf_end else { return position }
    return position - Int64(next.distance(to: end))
  }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> LibavInput? {
    pointer.map { Unmanaged<LibavInput>.fromOpaque($0).takeUnretainedValue() }
  }

  private func read(into bytes: UnsafeMutablePointer<UInt8>?, count: Int32) -> Int32 {
    guard budget > 0, !givesUp else { return AVERROR_EIO }
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: max(0, Int(count)))
    do throws(ByteIOError) {
      let count = try source.read(into: buffer, at: position)
      for change in changes where position..<position + Int64(count) ~= Int64(change.offset) {
        buffer[change.offset - Int(position)] = change.value
      }
      position += Int64(count)
      budget -= Int64(count)
      isAtEnd = count == 0
      return count > 0 ? Int32(truncatingIfNeeded: count) : AVERROR_EOF
    } catch {
      failure = error
      return AVERROR_EIO
    }
  }

  private func seek(to offset: Int64, from whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return source.byteCount ?? -1
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = source.byteCount ?? -1
    default: return -1
    }
    let (target, isTooFar) = base.addingReportingOverflow(offset)
    guard base >= 0, !isTooFar, target >= 0 else { return -1 }
    position = target
    return target
  }
}
