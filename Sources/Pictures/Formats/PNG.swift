internal import AudioModel
internal import CPNG

/// libpng's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) private let libpng = segue_png_load()

enum PNG {
  static var library: SharedLibrary {
    SharedLibrary(SEGUE_PNG, functions: UnsafeRawPointer(libpng))
  }

  static func decode(_ bytes: [UInt8]) throws(PictureError) -> Picture {
    guard let library = libpng?.pointee else {
      throw PictureError(.libraryMissing, "PNG pictures: \(Self.library.complaint)")
    }
    // libpng keeps the address until the end.
    let image = UnsafeMutablePointer<segue_png_image>.allocate(capacity: 1)
    image.initialize(to: segue_png_image())
    image.pointee.version = UInt32(SEGUE_PNG_VERSION)
    defer {
      library.free(image)
      image.deallocate()
    }
    return try bytes.span.withUnsafeBytes { (bytes) throws(PictureError) in try decode(bytes, library, image) }
  }

  /// libpng reads from `bytes` until the end of this function.
  private static func decode(
    _ bytes: UnsafeRawBufferPointer, _ library: segue_png_functions, _ image: UnsafeMutablePointer<segue_png_image>
  ) throws(PictureError) -> Picture {
    guard let source = bytes.baseAddress, library.begin_read_from_memory(image, source, bytes.count) != 0 else {
      throw damaged(image)
    }
    image.pointee.format = UInt32(SEGUE_PNG_RGB)
    let (width, height) = (Int(image.pointee.width), Int(image.pointee.height))
    return try Picture.decoded("PNG", width: width, height: height, bytesPerPixel: 3) { buffer throws(PictureError) in
      var black = segue_png_color()
      guard let start = buffer.baseAddress, library.finish_read(image, &black, start, 0, nil) != 0 else {
        throw damaged(image)
      }
    }
  }

  private static func damaged(_ image: UnsafeMutablePointer<segue_png_image>) -> PictureError {
    let text = withUnsafeBytes(of: image.pointee.message) { message in
      String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
    }
    return PictureError(.damaged, "this PNG picture is damaged: \(text)")
  }
}
