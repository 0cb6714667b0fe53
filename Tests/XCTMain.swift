import Testing

/// The start of the test program. Without it, SwiftPM would look for tests of XCTest in the index of editors, and to write
/// that index takes a twentieth of each build.
@main struct TestProgram {
  static func main() async { await __swiftPMEntryPoint() as Never }
}
