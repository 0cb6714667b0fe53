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

  /// A library.
  ///
  /// - Parameter functions: A table that begins with one of its functions; `nil` if it could not be filled.
  public init(_ name: String, for purpose: String, package: String, functions: UnsafeRawPointer?) {
    self.init(name, for: purpose, package: package, address: functions?.load(as: UnsafeMutableRawPointer?.self))
  }

  /// A library with one of its functions at `address`, if it could be loaded.
  public init(_ name: String, for purpose: String, package: String, address: UnsafeMutableRawPointer?) {
    (self.name, self.purpose, self.package) = (name, purpose, package)
    self.address = address.map { UInt(bitPattern: $0) }
  }
}
