internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let sort = OptionKey<String?>(
    "sort",
    value: "KEYS",
    "The sort keys, for example year,-title; - is descending: --sort=-year."
  )
  static let allZones = OptionKey<Bool>(
    flag: "all-zones",
    "Query all zones of the database."
  )

  /// The options that select records of a type.
  static let selectionOptions = [Option](of: whereText, argument, .zone, allZones)

  /// The options of a query: which records, and in which order.
  static let queryOptions = selectionOptions + [Option](of: sort)

  /// Returns the query that the options describe.
  static func queryRequest(_ invocation: Invocation) throws -> TidingsV1.QueryRecordsRequest {
    var request = try selectionRequest(invocation)
    request.sortDescriptors = try invocation.arguments[sort].map(SortText.descriptors) ?? []
    return request
  }

  /// Returns the query for the records that the options select, unsorted.
  static func selectionRequest(_ invocation: Invocation) throws -> TidingsV1.QueryRecordsRequest {
    let arguments = invocation.arguments
    guard arguments.operands.count <= 1 else {
      throw UsageError("expected one TYPE: unexpected operand '\(arguments.operands[1])'")
    }
    guard let recordType = arguments.operands.first else {
      throw UsageError("expected the TYPE of the records")
    }
    guard !arguments[allZones] || arguments[.zone] == nil else {
      throw UsageError("--zone and --all-zones cannot be combined")
    }
    var zone = arguments[allZones] ? nil : try invocation.zoneID
    if let name = zone?.name { zone?.zoneName = name }
    return TidingsV1.QueryRecordsRequest(
      databaseID: invocation.settings.databaseID,
      recordType: recordType,
      predicate: try predicate(invocation),
      zoneID: zone
    )
  }
}
