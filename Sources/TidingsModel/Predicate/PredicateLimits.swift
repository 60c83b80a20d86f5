/// The bounds of a predicate, so that parsing, comparing and evaluating one is always cheap.
public enum PredicateLimits {
  /// Bytes of the text that a caller may send.
  public static let textBytesMax = 16 * 1024
  /// Bytes of the canonical text, in which arguments are written out.
  public static let canonicalTextBytesMax = 64 * 1024
  /// Comparisons, constants, ANDs and ORs; a NOT counts as nesting only.
  public static let nodeCountMax = 1_000
  /// Levels of AND, OR and NOT, a NOT straight before a comparison excepted; parentheses and NOTs
  /// open at one place of a text.
  public static let nestingDepthMax = 64
  /// Values of one IN.
  public static let inValueCountMax = 250
  /// Comparisons that look through the whole text or list of a field, whatever is in it.
  public static let searchCountMax = 64
  /// Bytes of a field's name.
  public static let fieldNameBytesMax = 255
  /// Words of one value for CONTAINS.
  public static let tokenCountMax = 64
  /// Bytes of a LIKE pattern between two `*`.
  public static let likePieceBytesMax = 64
}
