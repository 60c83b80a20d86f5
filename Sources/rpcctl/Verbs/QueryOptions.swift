internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// The options that say what is queried.
  static let queryOptions = [
    Option("where", value: "PREDICATE", "Which records; without it all of the type."),
    argumentOption,
    Option("sort", value: "KEYS", "The order, for example year,-title; - is largest first."),
    zoneOption,
    Option(flag: "all-zones", "The records of all zones of the database."),
  ]

  /// What the options ask for.
  static func queryRequest(_ invocation: Invocation) throws -> TidingsV1.QueryRecordsRequest {
    let arguments = invocation.arguments
    guard arguments.operands.count <= 1 else {
      throw UsageError("a query has one TYPE, and got '\(arguments.operands[1])' too")
    }
    guard let recordType = arguments.operands.first else {
      throw UsageError("which TYPE of record?")
    }
    guard !arguments.has("all-zones") || !arguments.has("zone") else {
      throw UsageError("--zone and --all-zones exclude each other")
    }
    var zone = arguments.has("all-zones") ? nil : try invocation.zoneID
    if let name = zone?.name { zone?.zoneName = name }
    return TidingsV1.QueryRecordsRequest(
      databaseID: invocation.settings.databaseID,
      recordType: recordType,
      predicate: try predicate(invocation),
      sortDescriptors: try arguments["sort"].map(SortText.descriptors) ?? [],
      zoneID: zone
    )
  }
}
