/// The tables of MPEG audio headers (ISO/IEC 11172-3 §2.4.2.3, 13818-3 §2.4.2.3). `version` is the field of the header:
/// 3 for MPEG-1, 2 for MPEG-2, 0 for MPEG-2.5.
package enum MPEGAudioTables {
  /// Frames per second by index; 0 for the reserved index 3.
  @inlinable
  package static func sampleRate(version: Int, index: Int) -> Int {
    sampleRates[index] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
  }

  /// Bits per second by layer (1, 2 or 3) and index; 0 for free format (0) and for the forbidden index 15.
  @inlinable
  package static func bitRate(version: Int, layer: Int, index: Int) -> Int {
    1000 * Int(kilobits[version == 3 ? layer - 1 : layer == 1 ? 3 : 4][index])
  }

  @usableFromInline static let sampleRates: InlineArray<4, Int> = [44100, 48000, 32000, 0]

  @usableFromInline static let kilobits: InlineArray<5, InlineArray<16, UInt16>> = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0],  // MPEG-1 I
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0],  // MPEG-1 II
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],  // MPEG-1 III
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0],  // MPEG-2 I
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],  // MPEG-2 II and III
  ]
}
