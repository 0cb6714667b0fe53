public import ArgumentParser
public import ByteIO

/// The command line as text from which every byte can be restored: paths need not be UTF-8,
/// but the argument parser supports text only. A byte that is not part of valid UTF-8 becomes a private-use character;
/// such characters themselves are split into bytes, so that nothing is ambiguous.
enum ByteArguments {
  /// The private-use characters for the bytes 0x80...0xFF.
  private static let escapes = UInt32(0x10F780)...0x10F7FF

  /// The program's arguments, without its own name.
  static var all: [String] {
    given.map { argument in
      text(of: UnsafeRawBufferPointer(start: argument, count: UnsafePointer(argument).byteCount).map { $0 })
    }
  }

  /// The arguments in the memory of the process, which the kernel filled.
  private static var given: [UnsafeMutablePointer<CChar>] {
    (1..<max(1, Int(argumentCount))).compactMap { argumentVector?[$0] }
  }

  /// Removes names and passwords of addresses from the process list (`ps`). Call before any thread is created.
  static func hideUserInfo() {
    for start in given {
      let argument = UnsafeMutableRawBufferPointer(start: start, count: UnsafePointer(start).byteCount)
      let shown = bytes(of: text(of: argument.map { $0 }).withoutUserInfo)
      guard shown.count < argument.count else { continue }
      argument.copyBytes(from: shown + [UInt8](repeating: 0, count: argument.count - shown.count))
    }
  }

  /// Text that stands for `bytes`.
  static func text(of bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      if let scalar = rest.leadingScalar, !escapes.contains(scalar.value) {
        text.append(scalar)
        rest.removeFirst(UTF8.width(scalar))
      } else {
        text.append(Unicode.Scalar(escapes.lowerBound + UInt32(first) - 0x80) ?? "?")
        rest.removeFirst()
      }
    }
    return String(text)
  }

  /// The bytes that `text` stands for.
  static func bytes(of text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      escapes.contains(scalar.value)
        ? [UInt8(truncatingIfNeeded: scalar.value - escapes.lowerBound + 0x80)] : Array(String(scalar).utf8)
    }
  }
}

private typealias Strings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

// Safety: written before `main`, never changed.
nonisolated(unsafe) private var argumentCount: CInt = 0
nonisolated(unsafe) private var argumentVector: Strings?

/// The loader hands the arguments to the functions of this section. `CommandLine` searches for them from the environment
/// backwards, and finds none after a library that was loaded first has changed that (setenv(3)).
@used @section(".init_array")
private let noteArguments: @convention(c) (CInt, Strings?, Strings?) -> Void = { count, vector, _ in
  (argumentCount, argumentVector) = (count, vector)
}

extension BytePath: ExpressibleByArgument {
  /// A path as it was typed, byte for byte.
  public init?(argument: String) { self.init(ByteArguments.bytes(of: argument)) }

  /// Shells complete it as a file name.
  public static var defaultCompletionKind: CompletionKind { .file() }
}

extension ArraySlice<UInt8> {
  /// The first character, if the bytes begin with valid UTF-8; an escape is needed only from 0x80 on.
  fileprivate var leadingScalar: Unicode.Scalar? {
    for count in 1...4 where count <= self.count {
      if let text = String(validating: prefix(count), as: UTF8.self) { return text.unicodeScalars.first }
    }
    return nil
  }
}

extension UnsafePointer<CChar> {
  /// Bytes before the terminating zero.
  fileprivate var byteCount: Int {
    var count = 0
    while self[count] != 0 { count += 1 }
    return count
  }
}
