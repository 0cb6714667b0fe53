internal import ByteIO
internal import Library

/// A folder of the file system as it is shown.
struct FilesView: Sendable {
  /// The folder; `nil` before it was ever shown.
  private(set) var folder: BytePath?
  /// The folder above first, if there is one.
  private(set) var items: [FolderItem] = []
  /// Why it cannot be read.
  private(set) var failure: String?
  var list = ListView()

  func matches(_ pattern: SearchPattern, _ row: Int) -> Bool {
    pattern.matches([], name: items[row].path.lastComponent.bytes[...])
  }

  var selectedItem: FolderItem? { list.selected.map { items[$0] } }

  /// Shows a folder. Coming up from one of its folders, that one is chosen.
  mutating func show(_ contents: FolderContents) {
    let before = folder
    let isSame = before == contents.folder
    let selectedName = isSame ? selectedItem?.path : before
    folder = contents.folder
    items = contents.items
    failure = contents.failure?.description
    if !isSame { list.clear() }
    list.setCount(items.count, matching: matches)
    // Going down, the first thing in there.
    let first = items.first?.kind == .parent && items.count > 1 ? 1 : 0
    list.select(items.firstIndex { $0.path == selectedName } ?? (isSame ? list.selected ?? first : first))
  }

  /// The folder above the one that is shown; `nil` at the root.
  var parent: BytePath? {
    guard let folder, folder.bytes != Array("/".utf8) else { return nil }
    return folder.parent
  }
}
