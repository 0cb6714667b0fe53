internal import ArgumentParser
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Playback
internal import Player

/// Writes the line on standard error for a failed input.
func report(_ subject: some CustomStringConvertible, _ problem: some CustomStringConvertible) {
  try? FileWriter(descriptor: STDERR_FILENO).write(Array("segue: \(subject): \(problem)".printable.utf8) + [0x0a])
}

func report(_ subject: some CustomStringConvertible, _ error: TrackError) { report(subject, error.text(.place)) }

extension ExitCode {
  /// Reports the problem that ends the program with this status.
  func reporting(_ subject: some CustomStringConvertible, _ problem: some CustomStringConvertible) -> ExitCode {
    report(subject, problem)
    return self
  }

  func reporting(_ subject: some CustomStringConvertible, _ error: TrackError) -> ExitCode {
    reporting(subject, error.text(.place))
  }
}

/// Buffered lines for standard output; call `flush` at the end. A failed write ends the program with status 1.
struct LineWriter {
  private var text: [UInt8] = []

  mutating func add(_ line: String) { add(bytes: Array(line.utf8)) }

  /// Adds a path: its bytes for programs, and text that is safe for a terminal.
  mutating func add(_ path: BytePath) {
    add(bytes: isatty(STDOUT_FILENO) == 1 ? Array(path.description.printable.utf8) : path.bytes)
  }

  private mutating func add(bytes: [UInt8]) {
    text += bytes
    text.append(UInt8(ascii: "\n"))
    if text.count > 1 << 16 { flush() }
  }

  mutating func flush() {
    do throws(ByteIOError) {
      try FileWriter(descriptor: STDOUT_FILENO).write(text)
      text.removeAll(keepingCapacity: true)
    } catch {
      report("standard output", error)
      exit(ExitCode.cannotWork.rawValue)
    }
  }
}
