/// The part of a query's work that may begin in a slice: others wait for its end.
public enum QueryEffort: Sendable {
  /// What is known to be quick: the first page of a query that an index answers with few entries.
  case brief
  /// All but the evaluation of a predicate that is expensive for a record.
  case cheapRows
  /// All of it.
  case any
}
