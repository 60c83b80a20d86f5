internal import TidingsJSON
internal import TidingsProto

/// `{recordType, filterBy, sortBy}`.
struct QueryDictionary {
  var recordType: String
  var predicate: TidingsV1.Predicate?
  var sortDescriptors: [TidingsV1.SortDescriptor]

  init(_ input: WebInput, in database: WebDatabase) throws(WebFailure) {
    recordType = try input.requiredString("recordType")
    predicate = try FilterDictionary.predicate(input.objects("filterBy"), in: database)
    sortDescriptors = []
    for sort in try input.objects("sortBy") {
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
