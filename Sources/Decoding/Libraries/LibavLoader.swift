internal import CLibav
internal import CLibraries

/// libavcodec's functions. The first decoder that needs them loads them.
let libavcodec = LateLibrary(SEGUE_AVCODEC, explaining: { LibavLoader.codec() })

/// libavformat's functions, with those of the libavcodec that it uses. The first input that needs them loads them.
let libavformat = LateLibrary(SEGUE_AVFORMAT, explaining: { LibavLoader.format() })

/// Opens FFmpeg's libraries in the newest version that is installed, known, and as expected.
enum LibavLoader {
  /// - Parameter name: The name without its version, for tests with a folder before it.
  static func codec(_ name: String = "libavcodec") -> LateLibrary<segue_avcodec>.Outcome {
    open(name) { library, table, major in
      if let name = segue_avcodec_find(library, table) { return "lacks \(String(cString: name))" }
      table.pointee.major = major
      return LibavCheck(table.pointee).problem()
    }
  }

  static func format(_ name: String = "libavformat") -> LateLibrary<segue_avformat>.Outcome {
    open(name) { library, table, major in
      if let name = segue_avformat_find(library, table) { return "lacks \(String(cString: name))" }
      table.pointee.codec.major = major
      return LibavCheck(table.pointee.codec).problem(with: table.pointee)
    }
  }

  /// - Parameter fill: Fills a table. Returns what is wrong with the library, as the end of a sentence.
  private static func open<Functions>(
    _ name: String, fill: (UnsafeMutableRawPointer, UnsafeMutablePointer<Functions>, LibavMajor) -> String?
  ) -> LateLibrary<Functions>.Outcome {
    var problem: String?
    for major in LibavMajor.all {
      let file = "\(name).so.\(major.number)"
      guard let library = segue_open(file) else {
        problem = problem ?? segue_library_failure().map { String(cString: $0) }
        continue
      }
      let table = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
      guard let wrong = fill(library, table, major) else { return (UnsafePointer(table), nil) }
      table.deallocate()
      problem = problem ?? "\(file) \(wrong)"
    }
    return (nil, problem ?? unknown(name))
  }

  /// Names an installed version that is too old or too new.
  private static func unknown(_ name: String) -> String? {
    let known = LibavMajor.all.map(\.number)
    guard let oldest = known.min(), let newest = known.max() else { return nil }
    // A library that was opened stays open: the next attempt costs little.
    let number = (oldest - 6...newest + 8).last { number in
      !known.contains(number) && segue_open("\(name).so.\(number)") != nil
    }
    return number.map { "\(name).so.\($0) is a version unknown to segue, which knows \(oldest) to \(newest)" }
  }
}
