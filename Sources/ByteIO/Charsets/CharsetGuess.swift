/// Guesses the character set of texts that belong together: libuchardet names one, and it counts where the texts look
/// like the languages that are written in it; else the texts are in Windows-1252. `docs/decisions` has the figures.
struct CharsetGuess {
  /// Texts that are not ASCII.
  private let texts: [[UInt8]]
  private let joined: [UInt8]

  /// More bytes than this are not looked at.
  private static let byteLimit = 1 << 16

  init(_ texts: [[UInt8]]) {
    var rest = Self.byteLimit
    self.texts = texts.prefix(Self.byteLimit).compactMap { text in
      defer { rest -= min(rest, text.count) }
      return rest > 0 ? Array(text.prefix(rest)) : nil
    }
    joined = Array(self.texts.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// The character set.
  func charset() -> Charset {
    guard joined.contains(where: { $0 >= 0x80 }), CharsetDetector.isThere else { return .windows1252 }
    let named = CharsetDetector.name(of: joined)
    let alphabet = namedAlphabet(named)
    if let alphabet, alphabet != .windows1253 { return alphabet }
    if let charset = wideCharset(named, besides: alphabet) { return charset }
    if let alphabet { return alphabet }
    // Words of one alphabet that the detector did not recognise.
    if letters.high >= 4, letters.mixed * 10 <= letters.highWords {
      let other = [Charset.windows1251, .koi8r, .windows1253, .windows1255].first(where: isWritten)
      if let other { return other }
    }
    return isCentralEuropean(named) ? .windows1250 : .windows1252
  }

  // MARK: Other alphabets

  /// The set of Cyrillic, Greek or Hebrew that the detector has named, if the texts look like it.
  private func namedAlphabet(_ named: String?) -> Charset? {
    let charset: Charset? =
      switch named {
      case "WINDOWS-1251", "MAC-CYRILLIC": .windows1251
      case "KOI8-R": .koi8r
      case "WINDOWS-1253", "ISO-8859-7": .windows1253
      case "WINDOWS-1255", "ISO-8859-8": .windows1255
      case "IBM866": Charset("ibm866")
      default: nil
      }
    guard let charset, isWritten(in: charset) else { return nil }
    let couldBeHebrew = (charset == .windows1251 || charset == .windows1253) && hasLettersOfHebrewOnly
    return couldBeHebrew && isWritten(in: .windows1255) ? .windows1255 : charset
  }

  /// The Hebrew letters of Windows-1255 are 0xe0...0xfa; Cyrillic and Greek names have capitals, which lie elsewhere.
  private var hasLettersOfHebrewOnly: Bool { joined.allSatisfy { $0 < 0xc0 || 0xe0...0xfa ~= $0 } }

  /// The bytes that are letters in all of these sets, and the words of them.
  private var letters: (high: Int, highWords: Int, mixed: Int) {
    var (high, highWords, mixed) = (0, 0, 0)
    for word in joined.split(whereSeparator: { $0 < 0xc0 && !isASCIILetter($0) }) {
      let count = word.count { $0 >= 0xc0 }
      high += count
      highWords += count > 0 ? 1 : 0
      mixed += count > 0 && count < word.count ? 1 : 0
    }
    return (high, highWords, mixed)
  }

  /// True if the texts are words of an alphabet other than the Latin one: of several letters, not mixed with Latin
  /// ones, capitals first, final letters last. One in ten may be otherwise.
  private func isWritten(in charset: Charset) -> Bool {
    var (letterCount, wordCount, mixedCount, oddCount, signCount) = (0, 0, 0, 0, 0)
    for bytes in texts {
      guard let text = charset.exactText(bytes) else { return false }
      let scalars = text.unicodeScalars
      signCount += scalars.count { $0.value >= 0x80 && !isLetter($0) && !Self.punctuation.contains($0) }
      for word in scalars.split(whereSeparator: { !isLetter($0) }) where word.contains(where: { $0.value >= 0x80 }) {
        wordCount += 1
        letterCount += word.count
        if word.contains(where: { $0.value < 0x80 }) { mixedCount += 1 }
        for (letter, next) in zip(word, word.dropFirst()) {
          if letter.properties.isLowercase, next.properties.isUppercase { oddCount += 1 }
          if Self.finalLetters.contains(letter) { oddCount += 1 }
        }
        if word.count > 1, let last = word.last, Self.neverFinalLetters.contains(last) { oddCount += 1 }
      }
    }
    return letterCount >= 4 && letterCount >= 2 * wordCount && mixedCount * 10 <= wordCount
      && oddCount * 10 <= wordCount && signCount * 10 <= letterCount
  }

  private static let punctuation = Set("«»—–“”„‘’…№·′\u{a0}־״׳".unicodeScalars)
  /// Letters that end words only: the Greek sigma, five Hebrew letters.
  private static let finalLetters = Set("ςךםןףץ".unicodeScalars)
  /// Hebrew letters that have another form at the end. Pe does not count: foreign names end with it.
  private static let neverFinalLetters = Set("כמנצ".unicodeScalars)

  // MARK: East Asian sets

  /// The set of two bytes per character in which the texts are common characters; the detector's opinion counts a little.
  private func wideCharset(_ named: String?, besides alphabet: Charset?) -> Charset? {
    var candidates = WideCharset.allCases.map { (set: $0, share: $0.share(of: texts)) }.filter { $0.share >= 0.55 }
    guard !candidates.isEmpty else { return nil }
    // A detector of distributions needs more text than a name.
    let again = CharsetDetector.name(of: Array(repeatElement(joined + [UInt8(ascii: "\n")], count: 8).joined()))
    for index in candidates.indices {
      let names = candidates[index].set.names
      if let named, names.contains(named) { candidates[index].share += 0.15 }
      if let again, names.contains(again) { candidates[index].share += 0.1 }
    }
    candidates.removeAll { candidate in texts.contains { candidate.set.charset.exactText($0) == nil } }
    guard let best = candidates.max(by: { $0.share < $1.share }), best.share >= 0.8 else { return nil }
    return alphabet == nil || again.map(best.set.names.contains) == true ? best.set.charset : nil
  }

  // MARK: Central Europe

  /// True if the texts fit a language of Central Europe in Windows-1250, and are no Western European ones.
  private func isCentralEuropean(_ named: String?) -> Bool {
    var (western, central, hasSigns, isUnusual) = (Set<Unicode.Scalar>(), Set<Unicode.Scalar>(), false, false)
    for bytes in texts {
      guard let text = Charset.windows1250.exactText(bytes)?.lowercased() else { return false }
      central.formUnion(text.unicodeScalars.lazy.filter { $0.value >= 0x80 && isLetter($0) })
      let other = Array(Charset.windows1252.text(bytes).lowercased().unicodeScalars)
      western.formUnion(other.lazy.filter { $0.value >= 0x80 && isLetter($0) })
      for index in other.indices {
        let (last, letter) = (index > 0 ? other[index - 1] : " ", other[index])
        if 0x80...0x9f ~= letter.value || Self.signs.contains(letter) && isLetter(last) { hasSigns = true }
        isUnusual = isUnusual || WesternSpelling.isUnusual(letter, after: last, before: other[(index + 1)...].first)
      }
    }
    guard Self.central.contains(where: central.isSubset) else { return false }
    // Signs within words, or letters that no Western language has together.
    if hasSigns || !Self.western.contains(where: western.isSubset) { return true }
    return isUnusual && named == "WINDOWS-1250"
  }

  /// Characters of Windows-1252 that do not follow a letter; in Windows-1250 they are letters.
  private static let signs = Set("¹³¼½¾¿¯£¥ª".unicodeScalars)
  private static func alphabets(_ texts: String...) -> [Set<Unicode.Scalar>] { texts.map { Set($0.unicodeScalars) } }
  /// French, German, Spanish, Portuguese, Italian, Nordic, Icelandic, Dutch, Catalan; each with accents of loan words.
  private static let western = alphabets(
    "àâçéèêëîïôœùûüÿ", "äöüßé", "áéíñóúüº", "áâãàçéêíóôõúü", "àèéìíîòóùúç", "åäöæøéòóôü", "áðéíóúýþæö", "ëéïóöüèê",
    "àçéèíïòóúü")
  /// Polish, Czech, Slovak, Hungarian, Croatian and Slovenian.
  private static let central = alphabets(
    "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž")
}

/// The places in a word where a Western European letter is unusual.
private enum WesternSpelling {
  /// True if the letter, in small letters, is unusual between these: there a letter of Central Europe is likely.
  static func isUnusual(_ letter: Unicode.Scalar, after last: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
    let next = next ?? " "
    return switch letter {
    case "è": vowels.contains(next)
    case "ñ": !vowels.contains(next)
    case "ì", "ù": isLetter(next)
    case "ð": !isLetter(last)
    case "õ": !"ea".unicodeScalars.contains(next)
    case "œ": !"uinds".unicodeScalars.contains(next)
    case "æ": "iao".unicodeScalars.contains(last)
    case "ê": !(isASCIILetter(UInt8(clamping: next.value)) || next == "é" || next == "ê")
    case "ø": "peátdk".unicodeScalars.contains(last) && "aeiíáýìo".unicodeScalars.contains(next)
    case "ò": isLetter(next) && !"nlrs".unicodeScalars.contains(next)
    default: false
    }
  }

  private static let vowels = Set("aeiouyáéíóúýìèãàäöüôâîêû".unicodeScalars)
}

private func isASCIILetter(_ byte: UInt8) -> Bool { 0x41...0x5a ~= byte || 0x61...0x7a ~= byte }

private func isLetter(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.value < 0x80 { return isASCIILetter(UInt8(scalar.value)) }
  return switch scalar.properties.generalCategory {
  case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
    .spacingMark, .enclosingMark:
    true
  default: false
  }
}
