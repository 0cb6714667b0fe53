internal import AudioModel
internal import CLibraries
internal import Glibc

/// The visual order of scalars (UAX 9), by libfribidi, which is loaded when the first letter of a right-to-left script
/// is shown.
///
/// The functions of the library keep no state between calls.
final class VisualOrder: Sendable {
  /// `FriBidiLevel fribidi_log2vis(str, len, pbase_dir, visual_str, positions_L_to_V, positions_V_to_L, levels)`
  private typealias LogicalToVisual =
    @convention(c) @Sendable (
      UnsafePointer<UInt32>, CInt, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>,
      UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<Int8>?
    ) -> Int8

  private let logicalToVisual: LogicalToVisual
  /// FRIBIDI_PAR_ON: the first letter decides the direction of the line.
  private static let baseDirection: UInt32 = 0x40
  /// FRIBIDI_CHAR_FILL: the place of the second letter of a ligature.
  private static let filler: UInt32 = 0xfeff

  /// `nil` without libfribidi: letters then appear in logical order.
  static let shared = VisualOrder()

  private init?() {
    guard let symbol = Self.find() else { return nil }
    // Safety: the type is that of the function in fribidi-deprecated.h, the same in all versions of libfribidi.so.0.
    logicalToVisual = unsafeBitCast(symbol, to: LogicalToVisual.self)
  }

  private static func find() -> UnsafeMutableRawPointer? {
    segue_library_open(SEGUE_FRIBIDI).flatMap { dlsym($0, "fribidi_log2vis") }
  }

  /// The library, which this opens. Any thread.
  static var library: SharedLibrary {
    SharedLibrary(SEGUE_FRIBIDI, address: find())
  }

  /// From left to right: the index of each scalar, and its form between its neighbours (Arabic letters join, brackets
  /// are mirrored); `nil` for a scalar that has become a part of its neighbour.
  func order(of scalars: [Unicode.Scalar]) -> [(index: Int, scalar: Unicode.Scalar?)]? {
    let logical = scalars.map(\.value)
    var visual = [UInt32](repeating: 0, count: scalars.count + 1)
    var indices = [CInt](repeating: 0, count: scalars.count + 1)
    var direction = Self.baseDirection
    let level = logicalToVisual(logical, CInt(logical.count), &direction, &visual, nil, &indices, nil)
    guard level > 0 else { return nil }
    return zip(indices, visual).prefix(scalars.count).map { index, value in
      (Int(index), value == Self.filler ? nil : Unicode.Scalar(value))
    }
  }
}
