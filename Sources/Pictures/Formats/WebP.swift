internal import AudioModel
internal import CWebP

/// libwebp's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) private let libwebp = segue_webp_load()

enum WebP {
  static var library: SharedLibrary {
    SharedLibrary(SEGUE_WEBP, functions: UnsafeRawPointer(libwebp))
  }

  /// Decodes a picture; an animation is refused.
  static func decode(_ bytes: [UInt8]) throws(PictureError) -> Picture {
    guard let library = libwebp?.pointee else {
      throw PictureError(.libraryMissing, "WebP pictures: \(Self.library.complaint)")
    }
    var (width, height) = (0 as Int32, 0 as Int32)
    guard library.GetInfo(bytes, bytes.count, &width, &height) != 0 else {
      throw PictureError(.damaged, "this WebP picture is damaged: its header is not valid")
    }
    return try Picture.decoded("WebP", width: Int(width), height: Int(height), bytesPerPixel: 4) {
      buffer throws(PictureError) in
      guard let start = buffer.baseAddress,
        library.DecodeRGBAInto(bytes, bytes.count, start, buffer.count, width * 4) != nil
      else { throw PictureError(.damaged, "this WebP picture is damaged, or an animation") }
    }
  }
}
