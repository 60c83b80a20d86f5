import Foundation
import Testing
import TidingsKit

/// What programs keep of records, queries and operations: archived, and read again.
@Suite struct ArchiveTests {
  private func again<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  @Test("the values of a record are archived, a file and a place among them")
  func values() throws {
    let url = URL(fileURLWithPath: "/photos/villa.jpg")
    let location = CLLocation(latitude: 60, longitude: 10)
    #expect(try again(CKAsset(fileURL: url)).fileURL == url)
    #expect(try again(location) == location)
    #expect(location.copy() as? CLLocation == location)

    let record = CKRecord(recordType: "Houses")
    record["photo"] = CKAsset(fileURL: url)
    record["place"] = location
    record["name"] = "Villa"
    let values = record.allKeys().compactMap { record[$0] as? NSObject }
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: values),
      requiringSecureCoding: true
    )
    let classes = [NSArray.self, CKAsset.self, CLLocation.self, NSString.self]
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? [Any]
    #expect(read?.count == values.count)
    #expect(read?.contains { ($0 as? CKAsset)?.fileURL == url } == true)
  }

  @Test("groups of operations are archived with how they run")
  func groups() throws {
    let group = CKOperationGroup()
    group.name = "import"
    group.quantity = 3
    group.expectedSendSize = .megabytes
    group.defaultConfiguration.timeoutIntervalForRequest = 5
    group.defaultConfiguration.qualityOfService = .utility
    let read = try again(group)
    #expect(read.operationGroupID == group.operationGroupID)
    #expect(read.name == "import" && read.quantity == 3)
    #expect(read.expectedSendSize == .megabytes && read.expectedReceiveSize == .unknown)
    #expect(read.defaultConfiguration.timeoutIntervalForRequest == 5)
    #expect(read.defaultConfiguration.timeoutIntervalForResource == 604_800)
    #expect(read.defaultConfiguration.qualityOfService == .utility)
  }

  @Test("sort descriptors by distance are archived")
  func distances() throws {
    let order = CKLocationSortDescriptor(
      key: "place",
      relativeLocation: CLLocation(latitude: 60, longitude: 10)
    )
    let read = try again(order)
    #expect(read.key == "place" && read.relativeLocation == order.relativeLocation)
  }

  @Test("the options of sharing are values, and archived")
  func sharingOptions() throws {
    let options = CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: .readOnly,
      allowedParticipantAccessOptions: .specifiedRecipientsOnly
    )
    let read = try again(options)
    #expect(read.allowedParticipantPermissionOptions == .readOnly)
    #expect(read.allowedParticipantAccessOptions == .specifiedRecipientsOnly)
    #expect(CKAllowedSharingOptions.standard.allowedParticipantAccessOptions == .any)
  }

  @Test("system fields that CloudKit archived are not read")
  func foreign() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSString("Houses"), forKey: "RecordType")
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(CKRecord(coder: unarchiver) == nil)
  }
}
