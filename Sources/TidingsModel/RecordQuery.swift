/// Which records of a database, in which order.
public struct RecordQuery: Hashable, Sendable {
  /// One key of a sort order.
  public struct SortKey: Hashable, Sendable {
    /// The name of a field, or of a system field.
    public var field: String
    /// Largest first; records without the field come last in either direction.
    public var isDescending: Bool
    /// Sorts by the distance from this place instead, nearest first.
    public var relativeLocation: Location?

    /// A key from its parts.
    public init(field: String, isDescending: Bool = false, relativeLocation: Location? = nil) {
      self.field = field
      self.isDescending = isDescending
      self.relativeLocation = relativeLocation
    }
  }

  /// Most keys of a sort order.
  public static let sortKeyCountMax = 8

  /// The database.
  public var database: DatabaseID
  /// The record type.
  public var recordType: String
  /// What the records must match.
  public var predicate: Predicate
  /// First key first; records that are equal by all of them come by zone and name, whatever the
  /// directions of the keys.
  public var sortKeys: [SortKey]
  /// The zone; `nil`: all zones of the database.
  public var zoneID: ZoneID?

  /// A query from its parts.
  public init(
    database: DatabaseID,
    recordType: String,
    predicate: Predicate = .true,
    sortKeys: [SortKey] = [],
    zoneID: ZoneID? = nil
  ) {
    self.database = database
    self.recordType = recordType
    self.predicate = predicate
    self.sortKeys = sortKeys
    self.zoneID = zoneID
  }

  /// Checks the names of the type, the zone and the fields, and the number of sort keys.
  ///
  /// - Throws: `invalidArguments`, with the name, what is wrong and what to do; `permissionFailure` for records of
  ///   users.
  public func validate() throws(ItemError) {
    if let problem = Identifier.problem(inRecordType: recordType) {
      throw ItemError(.invalidArguments, "the query: \(problem)")
    }
    guard recordType != UserRecord.recordType else {
      throw UserRecord.refusal(of: "the query", whatCannotBe: "queried")
    }
    try zoneID?.validate()
    guard sortKeys.count <= Self.sortKeyCountMax else {
      throw ItemError(
        .invalidArguments,
        "the query has \(sortKeys.count) sort descriptors and may have \(Self.sortKeyCountMax): "
          + "leave the last ones out"
      )
    }
    for key in sortKeys {
      if let problem = Identifier.problem(inFieldName: key.field) {
        throw ItemError(.invalidArguments, "a sort descriptor of the query: \(problem)")
      }
      guard let position = key.relativeLocation else { continue }
      if let problem = FieldValue.location(position).problem {
        throw ItemError(.invalidArguments, "the sort descriptor '\(key.field)': \(problem)")
      }
      guard !key.isDescending else {
        throw ItemError(
          .invalidArguments,
          "the sort descriptor '\(key.field)' has a relative location and sorts nearest first: "
            + "leave `descending` out"
        )
      }
    }
  }
}
