/// What of a query may begin in a slice, for which others wait.
public enum QueryEffort: Sendable {
  /// What is known to be quick: the first page of a query that an index answers with few entries.
  case brief
  /// All but the evaluation of a predicate that is expensive for a record.
  case cheapRows
  /// All of it.
  case any
}
