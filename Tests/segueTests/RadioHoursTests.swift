import Glibc
import SoundServerSupport
import Synchronization
import Testing

/// A station that sends as fast as it plays, and an output that plays as fast as bytes arrive: hours of radio in
/// seconds. `SEGUE_RADIO_HOURS` says how many, otherwise a quarter of one.
@Suite("hours of radio")
struct RadioHoursTests {
  /// The resources of the program besides time.
  private struct Use: CustomStringConvertible {
    /// Resident memory, and the size of its open files without a name, in bytes.
    var memory = 0, unnamedFiles = 0
    var descriptors = 0
    /// Bytes in its folder.
    var disk = 0

    var description: String {
      "\(memory >> 10) KiB resident, \(unnamedFiles >> 10) KiB kept, \(descriptors) descriptors, \(disk) B on disk"
    }
  }

  private func use(of id: Int32, _ folder: String) -> Use {
    var use = Use()
    let lines = String(decoding: contents(of: "/proc/\(id)/status"), as: UTF8.self).split(separator: "\n")
    use.memory = lines.first { $0.hasPrefix("VmRSS") }.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 } ?? 0
    for name in names(in: "/proc/\(id)/fd") {
      var status = stat()
      guard stat("/proc/\(id)/fd/\(name)", &status) == 0 else { continue }
      use.descriptors += 1
      if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 { use.unnamedFiles += Int(status.st_blocks) * 512 }
    }
    for folder in [folder, folder + "/cache", folder + "/cache/streams"] {
      for name in names(in: folder) {
        var status = stat()
        guard stat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        use.disk += Int(status.st_size)
      }
    }
    return use
  }

  private func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }

  /// The number in the last whole line "now on air: Minute N".
  private func lastMinute(in output: [UInt8]) -> Int {
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast().reversed().lazy.compactMap { Int($0.drop { !$0.isNumber }) }.first ?? 0
  }

  @Test("take no more memory, disk or descriptors than minutes")
  func stayFlat() throws {
    let hours = getenv("SEGUE_RADIO_HOURS").flatMap { Double(String(cString: $0)) } ?? 0.25
    let minute = contents(of: fixture("vbr-60s-without-header.mp3"))
    let sent = Mutex(0)
    let server = try ScriptedServer { _, connection in
      connection.send("ICY 200 OK\r\nicy-metaint: \(minute.count)\r\nContent-Type: audio/mpeg\r\n\r\n")
      var isHeard = true
      while isHeard {
        let number = sent.withLock { sent in
          sent += 1
          return sent
        }
        let text = Array("StreamTitle='Minute \(number)';".utf8)
        let block = text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
        isHeard = connection.send(minute + [UInt8(block.count / 16)] + block)
      }
    }
    let folder = try TemporaryFolder()
    let program = try ChildProcess(
      [Program.path, "--no-ui", "--output", "wav:/dev/null", server.address], environment: ["SEGUE_HOME": folder.path],
      output: .collected, errors: folder.path + "/errors")
    defer { program.end() }
    // Minutes that are heard: a busy machine can send many before the output is open. Its ring of ten minutes and the
    // system's buffers are full by then.
    var uses: [Use] = []
    let ends = [max(16, Int(hours * 60) / 4), max(32, Int(hours * 60))]
    var output: [UInt8] = []
    for end in ends {
      while lastMinute(in: output) < end {
        let more = program.read()
        if more.isEmpty { break }
        output = output.suffix(100) + more
      }
      uses.append(use(of: program.id, folder.path))
    }
    #expect(!program.isOver, "\(String(decoding: contents(of: folder.path + "/errors"), as: UTF8.self))")
    print("radio after \(ends[0]) minutes: \(uses[0])\nradio after \(ends[1]) minutes: \(uses[1])")
    #expect(uses[1].memory < uses[0].memory + (4 << 20), "\(uses)")
    let excess = uses[1].unnamedFiles - 10 * minute.count
    #expect(abs(excess) < 1 << 20, "ten minutes of it are kept, no more and no less")
    // One for each title would be more; a thread that a busy machine has held up may open its own late.
    #expect(uses[1].descriptors <= uses[0].descriptors + 4 && uses[1].disk == uses[0].disk, "\(uses)")
  }
}
