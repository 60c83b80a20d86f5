/// How results are reported.
public enum ReportStyle: String, CaseIterable, Sendable {
  /// A line a case, as they come, for people.
  case table
  /// One object, at the end.
  case json
  /// JUnit's XML, at the end.
  case junit
}
