/// The words of the language, in any case.
///
/// A field with such a name is written `#name`.
enum PredicateWord: String {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case `true` = "TRUE"
  case `false` = "FALSE"
  case yes = "YES"
  case no = "NO"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case between = "BETWEEN"
  case `in` = "IN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case any = "ANY"
  case some = "SOME"
  case all = "ALL"
  case none = "NONE"
  case selfWord = "SELF"
  case now = "NOW"

  // Words of NSPredicate that are refused, by name.
  case matches = "MATCHES"
  case tokenMatches = "TOKENMATCHES"
  case subquery = "SUBQUERY"
  case function = "FUNCTION"
  case cast = "CAST"
  case ternary = "TERNARY"
  case null = "NULL"
  case `nil` = "NIL"
  case anyKey = "ANYKEY"
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"

  /// Why records without a field cannot be asked for with a word, and how to ask for them.
  static func absence(_ word: String) -> String {
    "\(word) is not supported, a comparison with an absent field is false: NOT name >= \"\" finds the records without the "
      + "string 'name', and other types have a least value too; for a reference or a list save a field that says that there "
      + "is none, and compare with that"
  }

  /// Why this word is refused and what to write instead; `nil` for words that are supported.
  var refusal: String? {
    switch self {
    case .and, .or, .not, .true, .false, .yes, .no, .truePredicate, .falsePredicate, .between, .in,
      .contains, .beginsWith, .endsWith, .like, .any, .some, .all, .none, .selfWord, .now:
      nil
    case .matches:
      "MATCHES is not supported: use LIKE with ? and *"
    case .tokenMatches:
      "TOKENMATCHES is not supported; CONTAINS ANY and CONTAINS ALL find words"
    case .null, .nil: Self.absence(rawValue)
    case .subquery, .function, .cast, .ternary:
      "\(rawValue) is not supported; compare a field with a value"
    case .anyKey, .first, .last, .size:
      "\(rawValue) is not supported; CONTAINS asks for a member of a list"
    }
  }
}
