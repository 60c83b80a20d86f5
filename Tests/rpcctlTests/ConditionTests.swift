import CommandLineTools
import Testing
import TidingsProto

@testable import rpcctl

@Suite struct ConditionTests {
  private static let record = TidingsV1.Record(
    recordID: .init(recordName: "h1", zoneID: .init(zoneName: "notes")),
    recordType: "Houses",
    fields: [
      "price": .init(value: .int64Value(5)), "city": .init(value: .stringValue("Rome")),
      "tags": .init(value: .stringListValue(.init(values: ["a", "b"]))),
      "built": .init(value: .timestampValue(.init(seconds: 100, nanos: 5_000_000))),
      "owner": .init(value: .referenceValue(.init(recordID: .init(recordName: "ada")))),
      "sealed": .init(value: .encryptedValue(.init())),
    ],
    modified: .init(timestamp: .init(seconds: 1_000))
  )

  @Test(
    "a record has the same values as on the server",
    arguments: [
      ("price < 6", true), ("price < 5", false), ("city BEGINSWITH 'R' AND price == 5.0", true),
      ("'b' IN tags", true), ("'c' IN tags", false), ("recordName == 'h1'", true),
      ("built == @1970-01-01T00:01:40.005Z", true),
      ("owner == @reference('ada', '_defaultZone')", true),
      ("sealed == 'x'", false), ("modificationDate < now", true), ("missing == 1", false),
    ]
  )
  func record(text: String, holds: Bool) throws {
    #expect(try Condition(text, "--for").holds(for: Self.record) == holds)
  }

  @Test("a notification has its fields, and the names of its subject")
  func notification() throws {
    let notification = TidingsV1.Notification(
      notificationID: "1-1",
      subscriptionID: "pricey",
      reason: .recordUpdated,
      recordID: .init(recordName: "h1"),
      recordType: "Houses",
      recordFields: ["price": .init(value: .int64Value(7))]
    )
    for text in [
      "price == 7", "subscriptionID == 'pricey'", "reason == 'RECORD_UPDATED'",
      "type == 'Houses'", "zoneName == '_defaultZone'", "recordName == 'h1'",
    ] {
      #expect(try Condition(text, "--until").holds(for: notification), "\(text)")
    }
    #expect(try !Condition("city == 'Rome'", "--until").holds(for: notification))
  }

  @Test("errors name the option and the position")
  func wrong() {
    let error = #expect(throws: UsageError.self) { try Condition("price <", "--until") }
    #expect(error?.description.hasPrefix("--until 'price <': line 1, column 8") == true)
  }
}
