import Glibc
import TidingsClient
import TidingsProto

var configuration = ClientConfiguration(endpoint: "tcp://127.0.0.1:5570")
configuration.user = "realty"
do {
  let client = try await Client(configuration)

  let house = TidingsV1.Record(
    recordID: .init(recordName: "h1"),
    recordType: "Houses",
    fields: [
      "city": .init(value: .stringValue("Berlin")),
      "price": .init(value: .int64Value(420_000)),
    ]
  )
  // Without a policy a record that is there already is a conflict, unless its change tag is sent.
  let saved = try await client.records.modifyRecords(
    .init(recordsToSave: [house], savePolicy: .changedKeys)
  )
  for result in saved.results {
    switch result.outcome {
    case .record(let record)?: print("saved, its change tag is", record.changeTag)
    case .error(let error)?: print("not saved:", error.message)
    default: break
    }
  }

  var query = TidingsV1.QueryRecordsRequest(
    recordType: "Houses",
    predicate: .init(
      text: "city = %@ AND price < %@",
      arguments: [.init(value: .stringValue("Berlin")), .init(value: .int64Value(500_000))]
    ),
    sortDescriptors: [.init(fieldName: "price", descending: true)]
  )
  repeat {
    let page = try await client.records.queryRecords(query)
    for house in page.records {
      guard case .int64Value(let price)? = house.fields["price"]?.value else { continue }
      print(house.recordID?.recordName ?? "", price)
    }
    // A cursor knows its query.
    query = .init(cursor: page.cursor)
  } while !query.cursor.isEmpty
  await client.close()
} catch {
  print("houses: \(error)")
  exit(1)
}
