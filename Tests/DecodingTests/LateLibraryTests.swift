import AudioModel
import CLibraries
import Testing

@testable import Decoding

@Suite struct LateLibraryTests {
  @Test func `a library that is installed while the program runs is found`() {
    var (count, table) = (0, 7)
    withUnsafePointer(to: &table) { table in
      let library = LateLibrary<Int>(SEGUE_FLAC) {
        count += 1
        if count < 3 { _ = segue_open("libnowhere.so.1") }
        return count < 3 ? nil : table
      }
      #expect(library.opened.complaint.hasPrefix("libFLAC is not usable: it lacks a function (libFLAC.so.14 or .12"))
      #expect(library.functions == nil)
      #expect(library.functions?.pointee == 7 && library.functions != nil && count == 3)
    }
  }
}
