internal import ByteIO

/// The variables of a playlist of HTTP live streaming, `{$name}` in addresses and attributes (EXT-X-DEFINE,
/// draft-pantos-hls-rfc8216bis 4.3 and 4.4.2.3). Pure.
struct HLSVariables: Hashable {
  /// Values may contain other variables: without a limit a few lines would fill the memory.
  private static let byteLimit = 8 << 20

  private var values: [String: String] = [:]
  /// Bytes that variables were replaced by.
  private var byteCount = 0

  /// Reads the tag of a playlist from `address`. `imported`: the variables of the playlist that led to it.
  mutating func define(
    _ attributes: [String: String], at address: WebAddress, imported: HLSVariables?
  ) throws(NetworkError) {
    let (name, value): (String, String?)
    if let given = attributes["NAME"] {
      (name, value) = (given, attributes["VALUE"] ?? "")
    } else if let given = attributes["IMPORT"] {
      (name, value) = (given, imported?.values[given])
    } else if let given = attributes["QUERYPARAM"] {
      (name, value) = (given, Self.parameter(given, of: address))
    } else {
      return
    }
    guard let value else { throw Self.problem("does not get the variable", name) }
    guard values.updateValue(value, forKey: name) == nil else { throw Self.problem("defines twice the variable", name) }
  }

  mutating func replace(in text: Substring) throws(NetworkError) -> String {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return String(text) }
    var (replaced, rest) = ("", text)
    while let start = rest.firstRange(of: "{$") {
      replaced += rest[..<start.lowerBound]
      let name = rest[start.upperBound...].prefix(while: Self.isOfName)
      rest = rest[name.endIndex...]
      guard rest.first == "}", !name.isEmpty else {
        replaced += "{$" + name
        continue
      }
      guard let value = values[String(name)] else { throw Self.problem("does not define the variable", String(name)) }
      byteCount += value.utf8.count
      guard byteCount <= Self.byteLimit else { throw NetworkError(.unusable, "the HLS playlist is too long") }
      replaced += value
      rest = rest.dropFirst()
    }
    return replaced + rest
  }

  private static func isOfName(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }

  /// The value of a parameter in the query of an address, without escapes.
  private static func parameter(_ name: String, of address: WebAddress) -> String? {
    for part in (address.query ?? "").split(separator: "&") {
      let parts = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0).removingPercentEscapes
      }
      if parts.count == 2, parts[0] == name, !parts[1].isEmpty { return parts[1] }
    }
    return nil
  }

  private static func problem(_ words: String, _ name: String) -> NetworkError {
    NetworkError(.unusable, "the HLS playlist \(words) \"\(name.prefix(40))\"")
  }
}
