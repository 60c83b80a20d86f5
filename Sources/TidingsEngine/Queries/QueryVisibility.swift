internal import TidingsModel

/// Which records that a query finds the caller may see.
///
/// The others are skipped like records that do not match: positions in the order and cursors are the
/// same for everybody.
enum QueryVisibility: Hashable {
  case all
  /// Those that a user created.
  case createdBy(String)
  /// Those that others share with the user.
  case shared(SharedRecords)

  /// Whether the caller may see a record.
  func shows(_ record: Record) throws -> Bool {
    switch self {
    case .all: true
    case .createdBy(let user): record.creator == user
    case .shared(let records): try records.holds(record.recordID.recordName)
    }
  }
}

extension QueryReport {
  /// Discloses nothing about records that the caller may not see, not even their number.
  mutating func hideOthers(_ recordType: String, _ visibility: QueryVisibility) {
    steps = steps.filter { !$0.contains(" rows;") }
    if case .shared = visibility {
      steps.append("leave out records that are not shared with the caller")
    } else {
      steps.append("leave out records of the type '\(recordType)' that the caller did not create")
    }
    entriesVisited = indexField.isEmpty ? 0 : recordsMatched
    recordsVisited = recordsMatched
  }
}
