internal import AudioModel
internal import CTurboJPEG

/// libturbojpeg's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) private let turboJPEG = segue_tj_load()

enum JPEG {
  static var library: SharedLibrary {
    SharedLibrary(SEGUE_TURBOJPEG, functions: UnsafeRawPointer(turboJPEG))
  }

  /// Scans of a progressive picture: each goes over all pixels, however few bytes it has. Encoders make about ten.
  static let scanLimit = 64

  /// Decodes a picture, at a fraction of its size where no side then falls below `sideLimit`: the fraction is taken
  /// before the cosine transform, so that most of the work is left out.
  static func decode(_ bytes: [UInt8], sideLimit: Int) throws(PictureError) -> Picture {
    guard let library = turboJPEG?.pointee, let handle = library.InitDecompress() else {
      throw PictureError(.libraryMissing, "JPEG pictures: \(Self.library.complaint)")
    }
    defer { _ = library.Destroy(handle) }
    var (width, height, subsampling, colors) = (0 as Int32, 0 as Int32, 0 as Int32, 0 as Int32)
    let byteCount = UInt(bytes.count)
    let isReadable =
      library.DecompressHeader3(handle, bytes, byteCount, &width, &height, &subsampling, &colors) == 0
      || isWarning(library, handle)
    guard isReadable, width > 0, height > 0 else { throw damaged(library, handle) }
    _ = try Picture.checkedPixelCount("JPEG", Int(width), Int(height))
    guard scanCount(bytes) <= scanLimit else {
      throw PictureError(.tooLarge, "this JPEG picture has more than \(scanLimit) scans")
    }
    let isCMYK = colors == Int32(SEGUE_TJ_COLORS_CMYK) || colors == Int32(SEGUE_TJ_COLORS_YCCK)
    let size = scaledSize(library, Int(width), Int(height), sideLimit: sideLimit)
    // Nearly all files have CMYK inverted, as Adobe's programs write it: the colours are multiplied by black.
    let bytesPerPixel = isCMYK ? 4 : 3
    return try Picture.decoded("JPEG", width: size.width, height: size.height, bytesPerPixel: bytesPerPixel) {
      buffer throws(PictureError) in
      guard let start = buffer.baseAddress else { return }
      let status = library.Decompress2(
        handle, bytes, byteCount, start, Int32(size.width), Int32(size.width * bytesPerPixel), Int32(size.height),
        Int32(isCMYK ? SEGUE_TJ_CMYK : SEGUE_TJ_RGB), 0)
      // A warning, as for a picture that is cut off: the rest of it is shown.
      guard status == 0 || isWarning(library, handle) else { throw damaged(library, handle) }
    }
  }

  /// The smallest size that libturbojpeg can decode into with the longer side at least `sideLimit`.
  private static func scaledSize(
    _ library: segue_tj_functions, _ width: Int, _ height: Int, sideLimit: Int
  ) -> (width: Int, height: Int) {
    var count: Int32 = 0
    let factors = UnsafeBufferPointer(start: library.GetScalingFactors(&count), count: Int(max(0, count)))
    let sizes = factors.lazy.filter { 1...$0.denominator ~= $0.numerator }.map { factor in
      // TJSCALED of turbojpeg.h.
      let (numerator, denominator) = (Int(factor.numerator), Int(factor.denominator))
      return (
        width: (width * numerator + denominator - 1) / denominator,
        height: (height * numerator + denominator - 1) / denominator
      )
    }
    return sizes.filter { max($0.width, $0.height) >= sideLimit }.min { $0.width + $0.height < $1.width + $1.height }
      ?? (width, height)
  }

  private static func isWarning(_ library: segue_tj_functions, _ handle: segue_tj) -> Bool {
    library.GetErrorCode(handle) == Int32(SEGUE_TJ_WARNING)
  }

  private static func damaged(_ library: segue_tj_functions, _ handle: segue_tj) -> PictureError {
    PictureError(
      .damaged, "this JPEG picture is damaged: \(library.GetErrorStr2(handle).map { String(cString: $0) } ?? "unknown")"
    )
  }

  /// The number of scans: of SOS markers that are outside other segments (ITU-T T.81, B.1.1).
  static func scanCount(_ bytes: [UInt8]) -> Int {
    var (count, index) = (0, 0)
    while index + 1 < bytes.count {
      let marker = bytes[index + 1]
      guard bytes[index] == 0xff, marker != 0xff else {
        index += 1
        continue
      }
      if marker == 0xda { count += 1 }
      index += 2
      // Markers without a length: stuffed zeros and TEM, restarts, the start and end of the picture.
      guard marker > 1, !(0xd0...0xd9 ~= marker), index + 1 < bytes.count else { continue }
      index += max(2, Int(bytes[index]) << 8 | Int(bytes[index + 1]))
    }
    return count
  }
}
