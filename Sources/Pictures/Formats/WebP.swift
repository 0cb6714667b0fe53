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

  /// Decodes a picture, row by row into its reduced size; an animation is refused.
  static func decode(_ bytes: [UInt8], sideLimit: Int) throws(PictureError) -> Picture {
    guard let library = libwebp?.pointee else {
      throw PictureError(.libraryMissing, "WebP pictures: \(Self.library.complaint)")
    }
    var (width, height) = (0 as Int32, 0 as Int32)
    guard library.GetInfo(bytes, bytes.count, &width, &height) != 0 else {
      throw PictureError(.damaged, "this WebP picture is damaged: its header is not valid")
    }
    _ = try Picture.checkedPixelCount("WebP", Int(width), Int(height))
    let size = Picture.reducedSize(Int(width), Int(height), toSide: sideLimit)
    return try Picture.decoded("WebP", width: size.width, height: size.height, bytesPerPixel: 4) {
      buffer throws(PictureError) in
      var config = segue_webp_config()
      guard library.InitDecoderConfigInternal(&config, Int32(SEGUE_WEBP_DECODER_VERSION)) != 0 else {
        throw PictureError(.libraryMissing, "WebP pictures: this version of libwebp is not known")
      }
      config.colors = Int32(SEGUE_WEBP_RGBA)
      (config.is_external_memory, config.rgba, config.stride) = (1, buffer.baseAddress, Int32(4 * size.width))
      config.byte_count = buffer.count
      config.use_scaling = size == (Int(width), Int(height)) ? 0 : 1
      (config.scaled_width, config.scaled_height) = (Int32(size.width), Int32(size.height))
      guard library.Decode(bytes, bytes.count, &config) == 0 else {
        throw PictureError(.damaged, "this WebP picture is damaged, or an animation")
      }
    }
  }
}
