internal import Glibc

/// The seconds for which the host of a virtual machine has let its processors wait, since the start of the machine.
public var stolenSeconds: Double {
  // proc(5): the eighth time in the first line, in hundredths of a second.
  let words = String(decoding: contents(of: "/proc/stat").prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    .split(separator: " ")
  return words.count > 8 ? (Double(words[8]) ?? 0) / 100 : 0
}
