public import AudioModel

extension Picture {
  /// Decodes a JPEG, PNG or WebP picture, and reduces it so that no side exceeds `sideLimit` pixels.
  ///
  /// Transparent pixels blend with black. JPEG and WebP pictures are reduced while they are decoded, PNG ones afterwards.
  /// Takes up to half a second and 150 MB for the largest pictures, so never on the main thread. The first picture of a
  /// format loads the format's library.
  public init(decoding encoded: [UInt8], sideLimit: Int) throws(PictureError) {
    guard encoded.count <= Self.byteLimit else {
      throw PictureError(.tooLarge, "this picture has \(encoded.count) bytes; the limit is \(Self.byteLimit)")
    }
    let sideLimit = max(1, sideLimit)
    let picture =
      if encoded.starts(with: [0xff, 0xd8, 0xff]) {
        try JPEG.decode(encoded, sideLimit: sideLimit)
      } else if encoded.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
        try PNG.decode(encoded)
      } else if encoded.starts(with: "RIFF".utf8), encoded.dropFirst(8).starts(with: "WEBP".utf8) {
        try WebP.decode(encoded, sideLimit: sideLimit)
      } else {
        throw PictureError(.unsupported, "this picture is neither JPEG, PNG nor WebP")
      }
    self = picture.reduced(toSide: sideLimit)
  }

  /// The libraries, loaded now if they were not before: for a report about the machine.
  public static var libraries: [SharedLibrary] { [JPEG.library, PNG.library, WebP.library] }

  static func checkedPixelCount(_ format: String, _ width: Int, _ height: Int) throws(PictureError) -> Int {
    if let count = pixelCount(width, height) { return count }
    throw PictureError(
      .tooLarge, "this \(format) picture has \(width) x \(height) pixels; the limit is \(pixelLimit) in all")
  }

  /// Decodes into memory of the right size. `fill` gets `bytesPerPixel` bytes per pixel; afterwards the first three
  /// bytes of each are kept, multiplied by the fourth where there is one.
  static func decoded(
    _ format: String, width: Int, height: Int, bytesPerPixel: Int,
    _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(PictureError) -> Void
  ) throws(PictureError) -> Picture {
    let count = try checkedPixelCount(format, width, height)
    // Zeros, since a damaged picture may leave rows out.
    var bytes = [UInt8](repeating: 0, count: count * bytesPerPixel)
    var span = bytes.mutableSpan
    try span.withUnsafeMutableBufferPointer { (buffer) throws(PictureError) in
      try fill(buffer)
      guard bytesPerPixel == 4 else { return }
      for pixel in 0..<count {
        let factor = Int(buffer[4 * pixel + 3])
        for channel in 0..<3 {
          buffer[3 * pixel + channel] = UInt8((Int(buffer[4 * pixel + channel]) * factor + 127) / 255)
        }
      }
    }
    bytes.removeLast(count * (bytesPerPixel - 3))
    guard let picture = Picture(width: width, height: height, bytes: bytes) else {
      throw PictureError(.damaged, "this \(format) picture is damaged")
    }
    return picture
  }
}
