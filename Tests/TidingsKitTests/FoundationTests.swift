import CloudKit
import Foundation
import Testing

/// What the module CloudKit adds to Foundation on Linux.
@Suite struct FoundationTests {
  @Test("arrays and dictionaries of objects are read from archives")
  func collections() throws {
    let names = ["a", "b"]
    let ids = names.map { CKRecord.ID(recordName: $0) }
    let archive = try archived(NSArray(array: ids))
    let read = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClass: CKRecord.ID.self,
      from: archive
    )
    #expect(read == ids)
    let mixed = try archived(NSArray(array: [ids[0], CKRecord(recordType: "Notes")]))
    let objects = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [CKRecord.ID.self, CKRecord.self],
      from: mixed
    )
    #expect(objects?.first as? CKRecord.ID == ids[0])
    #expect((objects?.last as? CKRecord)?.recordType == "Notes")
    let texts = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClass: NSString.self,
      from: try archived(NSArray(array: names.map { NSString(string: $0) }))
    )
    #expect(texts?.map { String(describing: $0) } == names)
    let tokens = try NSKeyedUnarchiver.unarchivedDictionary(
      ofKeyClass: CKRecord.ID.self,
      objectClass: CKRecord.self,
      from: try archived(NSDictionary(objects: [CKRecord(recordType: "Notes")], forKeys: [ids[1]]))
    )
    #expect(tokens?[ids[1]]?.recordType == "Notes")
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: CKRecord.self, from: Data([1]))
    }
  }

  @Test("an array in an archive is read by its key, and one that is not there is nil")
  func keys() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSArray(array: [CKRecordZone.ID(zoneName: "z")]), forKey: "zones")
    archiver.finishEncoding()
    let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let zones = reader.decodeArrayOfObjects(ofClass: CKRecordZone.ID.self, forKey: "zones")
    #expect(zones?.map(\.zoneName) == ["z"])
    #expect(reader.decodeArrayOfObjects(ofClass: CKRecordZone.ID.self, forKey: "other") == nil)
  }

  @Test("a user whom the environment names has a token, and closures run without pools")
  func others() {
    let variables = ProcessInfo.processInfo.environment
    let isNamed = ["TIDINGS_USER", "TIDINGS_KEY_FILE"].contains { variables[$0]?.isEmpty == false }
    #expect((FileManager.default.ubiquityIdentityToken != nil) == isNamed)
    #expect(autoreleasepool { 5 } == 5)
    let defaults = UserDefaults(suiteName: "tidings.\(UUID().uuidString)")
    defaults?.setValue("token", forKey: "state")
    #expect(defaults?.value(forKey: "state") as? String == "token")
  }

  @Test("notifications are a sequence, which listens while it is iterated")
  func notifications() async throws {
    let (center, name) = (NotificationCenter(), Notification.Name("tidings.test"))
    let notifications = center.notifications(named: name)
    var iterator = notifications.makeAsyncIterator()
    for number in 1...2 {
      center.post(name: Notification.Name("another"), object: nil)
      center.post(name: name, object: nil, userInfo: ["number": number])
    }
    for number in 1...2 {
      #expect(await iterator.next()?.userInfo?["number"] as? Int == number)
    }
    let waiting = Task { await notifications.first { _ in true } == nil }
    waiting.cancel()
    #expect(await waiting.value)
    #expect(NSEC_PER_SEC == 1_000 * NSEC_PER_MSEC)
  }

  private func archived(_ object: Any) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }
}
