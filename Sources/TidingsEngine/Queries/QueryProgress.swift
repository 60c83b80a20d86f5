internal import TidingsModel

/// How far a page of a query has come.
///
/// It holds no snapshot and no statement: another thread may go on with it.
struct QueryProgress {
  /// Counts of what was looked at so far.
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
  /// The first records so far of a query that is sorted.
  var top: TopRecords?
  /// The place in each zone, of an access in an order over many zones.
  var merge: OrderedMerge?
  /// The row in whose evaluation a slice ended.
  var openRow: OpenRow?
  /// The records of the page of a query that is sorted, once all were looked at.
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
