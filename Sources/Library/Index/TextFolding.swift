/// Text in the form for searches: lower case, without diacritics, so that "Björk" and "bjork" are equal.
///
/// A word with punctuation between its letters is also found without it: "acdc" follows "ac/dc". Scripts without case
/// and diacritics stay unchanged.
enum TextFolding {
  /// The folded form, in UTF-8. Control characters become spaces.
  static func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { folded(UnsafeRawBufferPointer($0)) }
  }

  /// The folded form of UTF-8.
  static func folded(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.count + 8)
    append(text, to: &folded)
    return folded
  }

  /// Appends the folded form of UTF-8.
  static func append(_ text: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
    // Most text is ASCII: one byte per letter.
    var position = 0
    while position < text.count, text[position] < 0x80 {
      folded.append(foldedASCII(text[position]))
      position += 1
    }
    guard position < text.count else { return }
    var last: (scalar: Unicode.Scalar, start: Int)?
    for part in String(decoding: text[position...], as: UTF8.self).unicodeScalars {
      var scalar = part
      if let last, let whole = composed(last.scalar, part) {
        folded.removeSubrange(last.start...)
        scalar = whole
      }
      last = (scalar, folded.count)
      if scalar.isASCII {
        folded.append(foldedASCII(UInt8(scalar.value)))
      } else {
        append(scalar, to: &folded)
      }
    }
  }

  private static func foldedASCII(_ byte: UInt8) -> UInt8 { byte < 0x20 || byte == 0x7f ? 0x20 : lowercased(byte) }

  private static func append(_ scalar: Unicode.Scalar, to folded: inout [UInt8]) {
    switch scalar.value {
    // Combining marks.
    case 0x300...0x36f, 0x1ab0...0x1aff, 0x1dc0...0x1dff, 0x20d0...0x20ff: return
    // Full-width forms of ASCII.
    case 0xff01...0xff5e: folded.append(foldedASCII(UInt8(scalar.value - 0xff01 + 0x21)))
    case 0xa0, 0x2000...0x200a, 0x202f, 0x3000: folded.append(0x20)
    // Soft hyphens, joiners and marks of direction.
    case 0xad, 0x200b...0x200f, 0x202a...0x202e, 0x2060...0x2064, 0xfeff: return
    case 0x80...0x9f: folded.append(0x20)
    default:
      if let known = table[scalar] {
        folded += known
      } else if scalar.properties.isUppercase {
        folded += scalar.properties.lowercaseMapping.utf8
      } else {
        folded += String(scalar).utf8
      }
    }
  }

  // MARK: Parts of letters

  /// The letter of two parts, for letters that folding does not take apart: й, kana with marks, Korean syllables
  /// (Unicode, section 3.12). Tags may have either form.
  private static func composed(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    let (first, second) = (first.value, second.value)
    let whole: UInt32? =
      switch second {
      case 0x306: first == 0x418 || first == 0x438 ? 0x439 : nil
      case 0x3099: kana(first, isVoiced: true)
      case 0x309a: kana(first, isVoiced: false)
      case 0x1161...0x1175 where 0x1100...0x1112 ~= first:
        0xac00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28
      case 0x11a8...0x11c2 where 0xac00...0xd7a3 ~= first && (first - 0xac00) % 28 == 0: first + (second - 0x11a7)
      default: nil
      }
    return whole.flatMap(Unicode.Scalar.init)
  }

  /// A hiragana or katakana with the mark of a voiced (が) or half voiced (ぱ) sound.
  private static func kana(_ letter: UInt32, isVoiced: Bool) -> UInt32? {
    switch 0x30a1...0x30fd ~= letter ? letter - 0x60 : letter {
    case 0x306f, 0x3072, 0x3075, 0x3078, 0x307b: letter + (isVoiced ? 1 : 2)
    case 0x304b, 0x304d, 0x304f, 0x3051, 0x3053, 0x3055, 0x3057, 0x3059, 0x305b, 0x305d, 0x305f, 0x3061, 0x3064, 0x3066,
      0x3068, 0x309d:
      isVoiced ? letter + 1 : nil
    case 0x3046: isVoiced ? letter + 0x4e : nil
    default: nil
    }
  }

  // MARK: Words with punctuation

  /// Appends a field of a line: its folded form, and its words with punctuation also without it.
  static func appendField(_ text: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    let start = line.count
    append(text, to: &line)
    let squeezed = squeezed(line[start...])
    if !squeezed.isEmpty { line += [0x20] + squeezed }
    line.append(0x1f)
  }

  /// The words of folded text with punctuation between letters or digits, without it: "ac/dc", "r.e.m.", "jay-z".
  static func squeezed(_ text: some Collection<UInt8>) -> [UInt8] {
    var squeezed: [UInt8] = []
    for word in text.split(separator: 0x20) where word.contains(where: isMark) {
      let letters = word.filter { !isMark($0) }
      // Punctuation at one end only does not hide the word.
      guard letters.count > 1, word.drop(while: isMark).prefix(letters.count).contains(where: isMark) else { continue }
      if !squeezed.isEmpty { squeezed.append(0x20) }
      squeezed += letters
    }
    return squeezed
  }

  /// A word of a search without its punctuation; empty if there is none, and for a phrase, whose words without it do not
  /// stand side by side in a line.
  static func squeezedWord(_ text: [UInt8]) -> [UInt8] { text.contains(0x20) ? [] : squeezed(text) }

  /// True for ASCII that is neither a letter nor a digit nor a space.
  static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e: true
    default: false
    }
  }

  // MARK: The table

  private static let table: [Unicode.Scalar: [UInt8]] = {
    var table: [Unicode.Scalar: [UInt8]] = [:]
    var target: [UInt8] = []
    for (index, part) in tableText.split(whereSeparator: { $0 == " " || $0 == "\n" }).enumerated() {
      if index.isMultiple(of: 2) {
        target = Array(part.utf8)
      } else {
        for scalar in part.unicodeScalars { table[scalar] = target }
      }
    }
    return table
  }()
}

/// Pairs of a folded form and the characters that it replaces: by Unicode 14, NFKD in lower case without diacritics,
/// and letters without a decomposition that are typed as others.
private let tableText = """
  ' ‘’  ( ⁽₍  (1) ⑴  (10) ⑽  (11) ⑾  (12) ⑿  (13) ⒀  (14) ⒁  (15) ⒂  (16) ⒃  (17) ⒄  (18) ⒅  (19) ⒆  (2) ⑵  (20) ⒇
  (3) ⑶  (4) ⑷  (5) ⑸  (6) ⑹  (7) ⑺  (8) ⑻  (9) ⑼  (a) ⒜  (b) ⒝  (c) ⒞  (d) ⒟  (e) ⒠  (f) ⒡  (g) ⒢  (h) ⒣  (i) ⒤
  (j) ⒥  (k) ⒦  (l) ⒧  (m) ⒨  (n) ⒩  (o) ⒪  (p) ⒫  (q) ⒬  (r) ⒭  (s) ⒮  (t) ⒯  (u) ⒰  (v) ⒱  (w) ⒲  (x) ⒳  (y) ⒴
  (z) ⒵  ) ⁾₎  + ⁺₊  - ‐‑–—  . ․  .. ‥  ... …  0 ⁰₀⓪  0⁄3 ↉  1 ¹₁①  1. ⒈  10 ⑩  10. ⒑  11 ⑪  11. ⒒  12 ⑫  12. ⒓
  13 ⑬  13. ⒔  14 ⑭  14. ⒕  15 ⑮  15. ⒖  16 ⑯  16. ⒗  17 ⑰  17. ⒘  18 ⑱  18. ⒙  19 ⑲  19. ⒚  1⁄ ⅟  1⁄10 ⅒  1⁄2 ½
  1⁄3 ⅓  1⁄4 ¼  1⁄5 ⅕  1⁄6 ⅙  1⁄7 ⅐  1⁄8 ⅛  1⁄9 ⅑  2 ²₂②  2. ⒉  20 ⑳  20. ⒛  2⁄3 ⅔  2⁄5 ⅖  3 ³₃③  3. ⒊  3⁄4 ¾
  3⁄5 ⅗  3⁄8 ⅜  4 ⁴₄④  4. ⒋  4⁄5 ⅘  5 ⁵₅⑤  5. ⒌  5⁄6 ⅚  5⁄8 ⅝  6 ⁶₆⑥  6. ⒍  7 ⁷₇⑦  7. ⒎  7⁄8 ⅞  8 ⁸₈⑧  8. ⒏  9 ⁹₉⑨
  9. ⒐  ; ;  = ⁼₌  ` `  a ªÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎǞǟǠǡǺǻȀȁȂȃȦȧḀḁẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặₐÅⒶⓐ  a/c ℀  a/s ℁  ae ÆæǢǣǼǽ
  aʾ ẚ  b ḂḃḄḅḆḇℬⒷⓑ  c ÇçĆćĈĉĊċČčḈḉℂℭⅭⅽⒸⓒ  c/o ℅  c/u ℆  d ÐðĎďĐđḊḋḌḍḎḏḐḑḒḓⅅⅆⅮⅾⒹⓓ  dz ǄǅǆǱǲǳ
  e ÈÉÊËèéêëĒēĔĕĖėĘęĚěȄȅȆȇȨȩḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệₑℯℰⅇⒺⓔ  f ḞḟℱⒻⓕ  fax ℻  ff ﬀ  ffi ﬃ  ffl ﬄ  fi ﬁ  fl ﬂ
  g ĜĝĞğĠġĢģǦǧǴǵḠḡℊⒼⓖ  h ĤĥĦħȞȟḢḣḤḥḦḧḨḩḪḫẖₕℋℌℍℎℏⒽⓗ  i ÌÍÎÏìíîïĨĩĪīĬĭĮįİıǏǐȈȉȊȋḬḭḮḯỈỉỊịⁱℐℑℹⅈⅠⅰⒾⓘ  ii Ⅱⅱ  iii Ⅲⅲ
  ij Ĳĳ  iv Ⅳⅳ  ix Ⅸⅸ  j ĴĵǰⅉⒿⓙ  k ĶķĸǨǩḰḱḲḳḴḵₖKⓀⓚ  l ĹĺĻļĽľŁłḶḷḸḹḺḻḼḽₗℒℓⅬⅼⓁⓛ  lj Ǉǈǉ  l· Ŀŀ  m ḾḿṀṁṂṃₘℳⅯⅿⓂⓜ
  n ÑñŃńŅņŇňŊŋǸǹṄṅṆṇṈṉṊṋⁿₙℕⓃⓝ  nj Ǌǋǌ  no №
  o ºÒÓÔÕÖØòóôõöøŌōŎŏŐőƠơǑǒǪǫǬǭǾǿȌȍȎȏȪȫȬȭȮȯȰȱṌṍṎṏṐṑṒṓỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợₒℴⓄⓞ  oe Œœ  p ṔṕṖṗₚℙⓅⓟ  q ℚⓆⓠ
  r ŔŕŖŗŘřȐȑȒȓṘṙṚṛṜṝṞṟℛℜℝⓇⓡ  s ŚśŜŝŞşŠšſȘșṠṡṢṣṤṥṦṧṨṩẛₛⓈⓢ  sm ℠  ss ßẞ  st ﬅﬆ  t ŢţŤťŦŧȚțṪṫṬṭṮṯṰṱẗₜⓉⓣ  tel ℡  th Þþ
  tm ™  u ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔǕǖǗǘǙǚǛǜȔȕȖȗṲṳṴṵṶṷṸṹṺṻỤụỦủỨứỪừỬửỮữỰựⓊⓤ  v ṼṽṾṿⅤⅴⓋⓥ  vi Ⅵⅵ  vii Ⅶⅶ  viii Ⅷⅷ
  w ŴŵẀẁẂẃẄẅẆẇẈẉẘⓌⓦ  x ×ẊẋẌẍₓⅩⅹⓍⓧ  xi Ⅺⅺ  xii Ⅻⅻ  y ÝýÿŶŷŸȲȳẎẏẙỲỳỴỵỶỷỸỹⓎⓨ  z ŹźŻżŽžẐẑẒẓẔẕℤℨⓏⓩ  °c ℃  °f ℉  · ·
  ƀ Ƀ  ƃ Ƃ  ƅ Ƅ  ƈ Ƈ  ƌ Ƌ  ƒ Ƒ  ƕ Ƕ  ƙ Ƙ  ƚ Ƚ  ƞ Ƞ  ƣ Ƣ  ƥ Ƥ  ƨ Ƨ  ƭ Ƭ  ƴ Ƴ  ƶ Ƶ  ƹ Ƹ  ƽ Ƽ  ƿ Ƿ  ǝ Ǝ  ǥ Ǥ  ȝ Ȝ
  ȣ Ȣ  ȥ Ȥ  ȼ Ȼ  ɂ Ɂ  ɇ Ɇ  ɉ Ɉ  ɋ Ɋ  ɍ Ɍ  ɏ Ɏ  ɓ Ɓ  ɔ Ɔ  ɖ Ɖ  ɗ Ɗ  ə Əₔ  ɛ Ɛℇ  ɠ Ɠ  ɣ Ɣ  ɨ Ɨ  ɩ Ɩ  ɯ Ɯ  ɲ Ɲ  ɵ Ɵ
  ʀ Ʀ  ʃ Ʃ  ʈ Ʈ  ʉ Ʉ  ʊ Ʊ  ʋ Ʋ  ʌ Ʌ  ʒ ƷǮǯ  ʹ ʹ  ʼn ŉ  ͱ Ͱ  ͳ Ͳ  ͷ Ͷ  ͻ Ͻ  ͼ Ͼ  ͽ Ͽ
  α ΆΑάἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏὰάᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾰᾱᾲᾳᾴᾶᾷᾸᾹᾺΆᾼ  β Βϐ  γ Γℽℾ  δ Δ  ε ΈΕέϵἐἑἒἓἔἕἘἙἚἛἜἝὲέῈΈ  ζ Ζ
  η ΉΗήἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯὴήᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟῂῃῄῆῇῊΉῌ  θ Θϑϴ  ι ΊΐΙΪίϊἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿὶίιῐῑῒΐῖῗῘῙῚΊ  κ Κϰ  λ Λ  μ µΜ
  ν Ν  ξ Ξ  ο ΌΟόὀὁὂὃὄὅὈὉὊὋὌὍὸόῸΌ  π Πϖℼℿ  ρ ΡϱῤῥῬ  σ ΣςϲϹ  τ Τ  υ ΎΥΫΰϋύϒϓϔὐὑὒὓὔὕὖὗὙὛὝὟὺύῠῡῢΰῦῧῨῩῪΎ  φ Φϕ  χ Χ
  ψ Ψ  ω ΏΩώὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὼώᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯῲῳῴῶῷῺΏῼΩ  ϗ Ϗ  ϙ Ϙ  ϛ Ϛ  ϝ Ϝ  ϟ Ϟ  ϡ Ϡ  ϣ Ϣ  ϥ Ϥ  ϧ Ϧ  ϩ Ϩ  ϫ Ϫ
  ϭ Ϭ  ϯ Ϯ  ϳ Ϳ  ϸ Ϸ  ϻ Ϻ  а АӐӑӒӓ  б Б  в В  г ЃГѓ  д Д  е ЀЁЕѐёӖӗ  ж ЖӁӂӜӝ  з ЗӞӟ  и ЍИѝӢӣӤӥ  й Й  к ЌКќ  л Л
  м М  н Н  о ОӦӧ  п П  р Р  с С  т Т  у ЎУўӮӯӰӱӲӳ  ф Ф  х Х  ц Ц  ч ЧӴӵ  ш Ш  щ Щ  ъ Ъ  ы ЫӸӹ  ь Ь  э ЭӬӭ  ю Ю
  я Я  ђ Ђ  є Є  ѕ Ѕ  і ІЇї  ј Ј  љ Љ  њ Њ  ћ Ћ  џ Џ  ѡ Ѡ  ѣ Ѣ  ѥ Ѥ  ѧ Ѧ  ѩ Ѩ  ѫ Ѫ  ѭ Ѭ  ѯ Ѯ  ѱ Ѱ  ѳ Ѳ  ѵ ѴѶѷ  ѹ Ѹ
  ѻ Ѻ  ѽ Ѽ  ѿ Ѿ  ҁ Ҁ  ҋ Ҋ  ҍ Ҍ  ҏ Ҏ  ґ Ґ  ғ Ғ  ҕ Ҕ  җ Җ  ҙ Ҙ  қ Қ  ҝ Ҝ  ҟ Ҟ  ҡ Ҡ  ң Ң  ҥ Ҥ  ҧ Ҧ  ҩ Ҩ  ҫ Ҫ  ҭ Ҭ
  ү Ү  ұ Ұ  ҳ Ҳ  ҵ Ҵ  ҷ Ҷ  ҹ Ҹ  һ Һ  ҽ Ҽ  ҿ Ҿ  ӄ Ӄ  ӆ Ӆ  ӈ Ӈ  ӊ Ӊ  ӌ Ӌ  ӎ Ӎ  ӏ Ӏ  ӕ Ӕ  ә ӘӚӛ  ӡ Ӡ  ө ӨӪӫ  ӷ Ӷ  ӻ Ӻ
  ӽ Ӽ  ӿ Ӿ  ԁ Ԁ  ԃ Ԃ  ԅ Ԅ  ԇ Ԇ  ԉ Ԉ  ԋ Ԋ  ԍ Ԍ  ԏ Ԏ  ԑ Ԑ  ԓ Ԓ  ԕ Ԕ  ԗ Ԗ  ԙ Ԙ  ԛ Ԛ  ԝ Ԝ  ԟ Ԟ  ԡ Ԡ  ԣ Ԣ  ԥ Ԥ  ԧ Ԧ
  ԩ Ԩ  ԫ Ԫ  ԭ Ԭ  ԯ Ԯ  א ℵ  ב ℶ  ג ℷ  ד ℸ  ỻ Ỻ  ỽ Ỽ  ỿ Ỿ  ⅎ Ⅎ  ↄ Ↄ  ∑ ⅀  − ⁻₋  ⱥ Ⱥ  ⱦ Ⱦ
  """

extension String {
  /// The text with its letters alone: "Bjork" for "Björk". Case stays.
  public var withoutDiacritics: String {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
    return reduce(into: "") { text, character in
      guard !character.isASCII else { return text.append(character) }
      let folded = String(decoding: TextFolding.folded(String(character)), as: UTF8.self)
      text += character.isUppercase ? folded.uppercased() : folded
    }
  }
}
