public import ByteIO
public import Library

/// A question of a client that the disk answers.
public enum DiskQuestion: Sendable, Hashable {
  /// The contents of a folder.
  case folder(BytePath)
}

/// The answer to a question about the disk.
public enum DiskAnswer: Sendable {
  case folder(FolderContents)
}
