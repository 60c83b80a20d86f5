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
  case any = "ANY"
  case some = "SOME"

  // Words of NSPredicate that are refused, by name.
  case all = "ALL"
  case none = "NONE"
  case like = "LIKE"
  case matches = "MATCHES"
  case endsWith = "ENDSWITH"
  case subquery = "SUBQUERY"
  case function = "FUNCTION"
  case cast = "CAST"
  case ternary = "TERNARY"
  case null = "NULL"
  case `nil` = "NIL"
  case selfWord = "SELF"
  case anyKey = "ANYKEY"
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"

  /// Why this word is refused and what to write instead; `nil` for words that are supported.
  var refusal: String? {
    switch self {
    case .and, .or, .not, .true, .false, .yes, .no, .truePredicate, .falsePredicate, .between, .in,
      .contains, .beginsWith, .any, .some:
      nil
    case .all, .none:
      "\(rawValue) is not supported; ANY asks for one member, and may follow NOT"
    case .like, .matches:
      "\(rawValue) is not supported; BEGINSWITH and = compare strings"
    case .endsWith:
      "ENDSWITH is not supported; BEGINSWITH is, store the text reversed besides"
    case .null, .nil:
      "\(rawValue) is not supported; a comparison with an absent field is false"
    case .selfWord:
      "SELF is not supported, full-text search neither; name a field"
    case .subquery, .function, .cast, .ternary:
      "\(rawValue) is not supported; compare a field with a value"
    case .anyKey, .first, .last, .size:
      "\(rawValue) is not supported; CONTAINS asks for a member of a list"
    }
  }
}
