internal import AudioModel
internal import CGlibcExtras
internal import Glibc

extension AudioDecoders {
  /// Names the library that reads the formats without a parser of our own: its file, with size and time. `none` if it
  /// cannot be loaded. Any thread.
  ///
  /// - Parameter former: An earlier name. While its file is the same, the library need not be loaded.
  public static func foreignReader(since former: String?) -> String {
    // A path with a space does no more than load the library.
    if let former, let file = former.split(separator: " ").first, stamped(String(file)) == former { return former }
    var information = segue_dl_info()
    guard let address = libavformat.opened.address,
      segue_dladdr(UnsafeRawPointer(bitPattern: address), &information) != 0, let file = information.file
    else { return "none" }
    return stamped(String(cString: file)) ?? "none"
  }

  private static func stamped(_ file: String) -> String? {
    var status = stat()
    guard stat(file, &status) == 0 else { return nil }
    return "\(file) \(status.st_size) \(status.st_mtim.tv_sec)"
  }
}
