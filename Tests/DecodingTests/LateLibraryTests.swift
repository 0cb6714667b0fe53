import Glibc
import Testing

@testable import Decoding

@Suite struct LateLibraryTests {
  @Test func `a library that is installed while the program runs is found`() {
    var (count, table) = (0, 7)
    withUnsafePointer(to: &table) { table in
      let library = LateLibrary<Int>("libnowhere", for: "nothing", package: "none") {
        count += 1
        if count < 3 { _ = dlopen("libnowhere.so.1", RTLD_LAZY) }
        return count < 3 ? nil : table
      }
      #expect(library.loaded().failure?.contains("libnowhere.so.1: cannot open") == true)
      #expect(library.functions == nil)
      #expect(library.functions?.pointee == 7 && library.functions != nil && count == 3)
    }
  }
}
