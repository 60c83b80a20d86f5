internal import TidingsModel

/// How far a page of a query has come.
///
/// It holds no snapshot and no statement: another thread may go on with it.
struct QueryProgress {
  /// What was looked at so far.
  var rowsVisited = 0
  var recordsRead = 0
  var recordsMatched = 0
  /// The page ended because of the rows looked at: records that match may be left, or none.
  var endedEarly = false
  var bytes = 0
  /// A slice ended before the page did.
  var isInterrupted = false
  /// The first row that was not looked at; `nil`: none was.
  var resume: QueryPosition?
  /// Of a query that is sorted, the first records so far.
  var top: TopRecords?
  /// Of an access in an order over many zones, where each of them is.
  var merge: OrderedMerge?
  /// The row in whose evaluation a slice ended.
  var openRow: OpenRow?
  /// Of a query that is sorted, the records of the page, once all were looked at.
  var sorted: SortedPage?
}

/// A row for which the predicate is not evaluated to its end.
struct OpenRow {
  let zone: Int64
  let name: String
  let sequence: Int64
  var evaluation: ResumableEvaluation

  /// Whether this is a row, and its record did not change meanwhile.
  func isSame(as row: VisitedRow) -> Bool {
    zone == row.zone.number && sequence == row.sequence && name == row.name
  }
}

/// The first records in the order of a query, one more than the limit if there are so many.
struct SortedPage {
  let positions: [QueryPosition]
  /// How many were delivered, or match no longer.
  var doneCount = 0
}
