/// A colour: red, green, blue.
public struct PictureColor: Sendable, Hashable {
  /// 0...255.
  public var red, green, blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }
}
