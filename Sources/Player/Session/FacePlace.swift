/// The place of a screen that the next start restores.
public struct FacePlace: Sendable, Hashable {
  /// The shown view, by the name that the face gives it.
  public var view: String
  /// The selected row of the queue.
  public var row: Int

  /// A place; the queue's first row by default.
  public init(view: String = "queue", row: Int = 0) { (self.view, self.row) = (view, row) }
}
