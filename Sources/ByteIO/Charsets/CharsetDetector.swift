internal import CUchardet

/// libuchardet's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: the table is filled once and never changes.
nonisolated(unsafe) private let libuchardet = segue_uchardet_load()

/// Names the character set of bytes, by libuchardet. Any thread.
public enum CharsetDetector {
  /// The address of one of libuchardet's functions; `nil` if it is not installed.
  public static var address: UnsafeMutableRawPointer? {
    libuchardet.flatMap { UnsafeRawPointer($0).load(as: UnsafeMutableRawPointer?.self) }
  }

  /// True if it is installed. The first call loads it.
  static var isThere: Bool { libuchardet != nil }

  /// The name that libuchardet gives the character set; `nil` if it has no answer.
  static func name(of bytes: [UInt8]) -> String? {
    guard let functions = libuchardet?.pointee, let detector = functions.create() else { return nil }
    defer { functions.destroy(detector) }
    let status = bytes.withUnsafeBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { functions.handle(detector, $0, bytes.count) }
    }
    guard status == 0 else { return nil }
    functions.finish(detector)
    return functions.charset(detector).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
