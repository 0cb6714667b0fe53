public import Glibc

/// Takes all events that an inotify descriptor has (inotify(7)), without their names. The descriptor must be non-blocking.
public func takeFileEvents(from descriptor: CInt, _ body: (inotify_event) -> Void) {
  withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
    while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
      var offset = 0
      while offset + MemoryLayout<inotify_event>.size <= count {
        let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
        offset += MemoryLayout<inotify_event>.size + Int(event.len)
        body(event)
      }
    }
  }
}
