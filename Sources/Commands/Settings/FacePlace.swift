public import ByteIO

/// The place of a screen, and the changes made on it, which the next start restores.
public struct FacePlace: Sendable, Hashable {
  /// A change of settings, keys or looks by hand, as lines of the language of the face.
  public struct Change: Sendable, Hashable {
    /// Makes the change.
    public var line: String
    /// Makes what the files of settings had at that time; empty for nothing.
    public var base: String

    public init(_ line: String, from base: String) { (self.line, self.base) = (line, base) }
  }

  /// The folder of files that was looked at last, and what was selected there.
  public struct Files: Sendable, Hashable {
    public var folder: BytePath
    public var item: BytePath?

    public init(folder: BytePath, item: BytePath?) { (self.folder, self.item) = (folder, item) }
  }

  /// The shown view, by the name that the face gives it.
  public var view: String
  /// The selected row of the queue, from 0.
  public var row: Int
  public var files: Files?
  /// The changes by hand, in the order in which they were made.
  public var changes: [Change]

  public init(view: String = "queue", row: Int = 0, changes: [Change] = [], files: Files? = nil) {
    (self.view, self.row, self.changes, self.files) = (view, row, changes, files)
  }
}
