/// Takes the diacritics off a lowercase letter.
///
/// The public standard library compares texts that are composed differently, but does not decompose
/// them; so the letters stand here, by their base. The rule: each letter from U+00C0 to U+024F,
/// U+0370 to U+052F and U+1E00 to U+1FFF (Latin, Greek, Cyrillic) that is its own lowercase and
/// whose canonical decomposition is another letter, with or without nonspacing marks. Besides, the final sigma is
/// a sigma. A test compares the table with the rule.
enum DiacriticFolding {
  /// The letter without diacritics; the scalar itself when there are none.
  static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let value = Int(scalar.value)
    let index: Int
    switch value {
    case 0xc0..<0x530: index = value - 0xc0
    case 0x1e00..<0x2000: index = value - 0x1e00 + (0x530 - 0xc0)
    default: return scalar
    }
    return Unicode.Scalar(bases[index]) ?? scalar
  }

  /// Whether a scalar is a diacritic that follows its letter: of the blocks of combining diacritical
  /// marks.
  ///
  /// The vowel signs of other scripts are not: without them a word is another one.
  static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36f, 0x1ab0...0x1aff, 0x1dc0...0x1dff, 0x20d0...0x20ff, 0xfe20...0xfe2f: true
    default: false
    }
  }

  /// By place in the two ranges of `base(of:)`, the base letter; a surrogate, which is no scalar,
  /// where there is none.
  private static let bases: [UInt16] = {
    var bases = Array(repeating: UInt16(0xd800), count: 0x530 - 0xc0 + 0x200)
    for line in letters.split(separator: "\n") {
      let scalars = line.unicodeScalars
      guard let base = scalars.first else { continue }
      for scalar in scalars.dropFirst(2) {
        let value = Int(scalar.value)
        let index = value < 0x530 ? value - 0xc0 : value - 0x1e00 + (0x530 - 0xc0)
        bases[index] = UInt16(truncatingIfNeeded: base.value)
      }
    }
    return bases
  }()

  private static let letters = """
    a àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ
    b ḃḅḇ
    c çćĉċčḉ
    d ďḋḍḏḑḓ
    e èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ
    f ḟ
    g ĝğġģǧǵḡ
    h ĥȟḣḥḧḩḫẖ
    i ìíîïĩīĭįǐȉȋḭḯỉị
    j ĵǰ
    k ķǩḱḳḵ
    l ĺļľḷḹḻḽ
    m ḿṁṃ
    n ñńņňǹṅṇṉṋ
    o òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ
    p ṕṗ
    r ŕŗřȑȓṙṛṝṟ
    s śŝşšșṡṣṥṧṩ
    t ţťțṫṭṯṱẗ
    u ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự
    v ṽṿ
    w ŵẁẃẅẇẉẘ
    x ẋẍ
    y ýÿŷȳẏẙỳỵỷỹ
    z źżžẑẓẕ
    æ ǣǽ
    ø ǿ
    ſ ẛ
    ʒ ǯ
    ʹ ʹ
    α άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ
    ε έἐἑἒἓἔἕὲέ
    η ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ
    ι ΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ
    ο όὀὁὂὃὄὅὸό
    ρ ῤῥ
    σ ς
    υ ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ
    ω ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ
    ϒ ϓϔ
    а ӑӓ
    г ѓ
    е ѐёӗ
    ж ӂӝ
    з ӟ
    и йѝӣӥ
    к ќ
    о ӧ
    у ўӯӱӳ
    ч ӵ
    ы ӹ
    э ӭ
    і ї
    ѵ ѷ
    ә ӛ
    ө ӫ
    """
}
