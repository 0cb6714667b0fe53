/// A shared library that is loaded on first use: its file, and the features that need it.
public struct SharedLibrary: Sendable, Hashable {
  /// The library's name: `libFLAC`.
  public var name: String
  /// The format that needs it: `FLAC`.
  public var purpose: String
  /// Debian's package.
  public var package: String
  /// The address of one of its functions; `nil` if it is not installed, or lacks a function that is needed.
  public var address: UInt?
  /// The loader's words about a library that is there and cannot be loaded.
  private var failure: String?

  /// A library.
  ///
  /// - Parameter functions: A table that begins with one of its functions; `nil` if it could not be filled.
  public init(_ name: String, for purpose: String, package: String, functions: UnsafeRawPointer?) {
    self.init(name, for: purpose, package: package, address: functions?.load(as: UnsafeMutableRawPointer?.self))
  }

  /// A library.
  ///
  /// - Parameters:
  ///   - functions: A table that begins with one of its functions; `nil` if it could not be filled.
  ///   - failure: The loader's words (dlerror(3)), if it said why.
  public init(_ name: String, for purpose: String, package: String, functions: UnsafeRawPointer?, failure: String?) {
    self.init(name, for: purpose, package: package, functions: functions)
    let isAbsent = failure?.hasPrefix(name) == true && failure?.hasSuffix("No such file or directory") == true
    self.failure = isAbsent ? nil : failure
  }

  /// A library with one of its functions at `address`, if it could be loaded.
  public init(_ name: String, for purpose: String, package: String, address: UnsafeMutableRawPointer?) {
    (self.name, self.purpose, self.package) = (name, purpose, package)
    self.address = address.map { UInt(bitPattern: $0) }
  }

  /// The reason why it is not in use: `not installed`, or that it cannot be loaded.
  public var problem: String { failure.map { "not usable: \($0)" } ?? "not installed" }
}
