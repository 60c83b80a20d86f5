internal import TidingsJSON
internal import TidingsProto

/// `{recordType, filterBy, sortBy, predicate}`.
struct QueryDictionary {
  var recordType: String
  var predicate: TidingsV1.Predicate?
  var sortDescriptors: [TidingsV1.SortDescriptor]

  /// Of conditions and sorting, without system fields.
  private(set) var fieldNames: [String]

  init(
    _ input: WebInput,
    as schema: WebSchema? = nil,
    in database: WebDatabase
  ) throws(WebFailure) {
    try input.check(.query)
    recordType = try input.requiredString("recordType")
    let filters = try input.objects("filterBy")
    predicate = try FilterDictionary.predicate(filters, of: recordType, as: schema, in: database)
    // A listed subscription has its predicate as text, and keeps it when it is sent back.
    if let text = try input.string("predicate"), !text.isEmpty {
      guard filters.isEmpty else {
        throw .badRequest(
          "\(input.path(to: "predicate")) and \(input.path(to: "filterBy")) cannot be combined: send one of them"
        )
      }
      predicate = .init(text: text)
    }
    sortDescriptors = []
    fieldNames = []
    for input in try filters + input.objects("sortBy")
    where try input.string("systemFieldName") == nil {
      fieldNames.append(try input.requiredString("fieldName"))
    }
    for sort in try input.objects("sortBy") {
      try sort.check(.sort)
      var name = try FilterDictionary.fieldName(sort)
      if name == "recordID" { name = "recordName" }
      var location: TidingsV1.Location?
      if let relative = try sort.object("relativeLocation") {
        location = try LocationDictionary.read(relative.object("value") ?? relative)
      }
      sortDescriptors.append(
        .init(
          fieldName: name,
          descending: try sort.bool("ascending") == false,
          relativeLocation: location
        )
      )
    }
  }
}
