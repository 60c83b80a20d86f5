import Foundation
import Testing
import TidingsKit

/// A type of a program that calls itself a value of a record.
private struct Mood: CKRecordValueProtocol {}

extension __CKRecordObjCValue {
  /// Numbers and strings of Swift have members of this name, too.
  fileprivate var summary: String {
    if let number = self as? Int64 { return number.summary }
    if let text = self as? String { return text.summary }
    return "an object"
  }
}

extension Int64 { fileprivate var summary: String { "number \(self)" } }
extension String { fileprivate var summary: String { "text \(self)" } }

/// Records, written to and read from in the ways in which people do it.
@Suite struct RecordUsageTests {
  private enum Kind: String {
    case villa
    case hut
  }

  private struct House {
    var title: String?
    var kind = Kind.hut
    var rooms: Int
    var tags: [String]
    var isSold: Bool
  }

  @Test("optionals, raw values, numbers and lists need no casts")
  func typical() throws {
    let record = CKRecord(recordType: "Houses")
    var house = House(title: "Villa", rooms: 3, tags: ["sea"], isSold: false)
    house.kind = .villa
    record["title"] = house.title
    record["kind"] = house.kind.rawValue
    record["rooms"] = house.rooms
    record["tags"] = house.tags
    record["isSold"] = house.isSold
    record["price"] = Float(1.5)
    record["count"] = UInt8(7)
    record["seen"] = Date(timeIntervalSince1970: 1)
    record["small"] = house.rooms > 2 ? "no" : "yes"
    record["rooms"] = (record["rooms"] as? Int ?? 0) + 1

    let title = record["title"] as! String
    #expect(title == "Villa")
    guard let kind = (record["kind"] as? String).flatMap(Kind.init(rawValue:)) else {
      Issue.record("no kind")
      return
    }
    #expect(kind == .villa)
    if let tags = record["tags"] as? [String] { #expect(tags == ["sea"]) }
    let rooms: Int = record["rooms"] ?? 0
    #expect(rooms == 4)
    let isSold: Bool? = record["isSold"]
    #expect(isSold == false)
    #expect(record["count"] as? Int64 == 7)
    #expect(record["price"] as? Double == 1.5)
    #expect(record.value(forKey: "title") as? String == "Villa")
    #expect(record.object(forKey: "seen") as? Date == Date(timeIntervalSince1970: 1))

    house.title = nil
    record["title"] = house.title
    #expect(record["title"] == nil)
    record["kind"] = nil
    record["tags"] = nil as [String]?
    #expect(record["tags"] == nil && record["kind"] == nil)
    let anything: (any CKRecordValue)? = record["rooms"]
    record["copy"] = anything
    #expect(record["copy"] as? Int == 4)
    let values: [String: any CKRecordValueProtocol] = ["a": 1, "b": "two", "c": [1.5]]
    for (key, value) in values { record[key] = value }
    #expect(record["c"] as? [Double] == [1.5])
    record.setObject(nil, forKey: "a")
    record.setValue(5, forKey: "five")
    record.setValue(nil, forKey: "b")
    record.setValuesForKeys(["x": 1, "y": "z", "five": NSNull()])
    #expect(record["y"] as? String == "z" && record["five"] == nil)
    let both = record.dictionaryWithValues(forKeys: ["x", "b"])
    #expect(both["x"] as? Int == 1 && both["b"] is NSNull)
    record["list"] = NSArray(array: ["p", "q"])
    #expect(record["list"] as? [String] == ["p", "q"])
    let keys = record.allKeys().filter { record[$0] is String }
    #expect(Set(keys) == ["small", "y"])
    var pairs: [String: String] = [:]
    for (key, value) in record { if let text = value as? String { pairs[key] = text } }
    #expect(pairs == ["small": "no", "y": "z"])
  }

  @Test("records are equal to themselves, ids to those that name the same")
  func equality() {
    let record = CKRecord(recordType: "Houses", recordID: CKRecord.ID(recordName: "a"))
    #expect(record == record)
    #expect(record != record.copy() as? CKRecord)
    #expect(record.recordID == CKRecordID(recordName: "a"))
    #expect(CKRecordZoneID.default == CKRecordZone.default().zoneID)
    #expect(CKRecordZone.ID(zoneName: "z").ownerName == CKCurrentUserDefaultName)
    let positions: Set = [record.recordID, CKRecord.ID(recordName: "a")]
    #expect(positions.count == 1)
    let reference = CKReference(record: record, action: .deleteSelf)
    #expect(reference == CKRecord.Reference(recordID: record.recordID, action: .deleteSelf))
    #expect(CKRecord.SystemType.userRecord == "Users")
    #expect(CKRecordTypeShare == CKRecord.SystemType.share)
  }

  @Test("numbers that are read as a type are converted as Foundation converts them")
  func numbers() {
    let record = CKRecord(recordType: "Houses")
    record["rooms"] = 2
    record["price"] = 1.5
    record["name"] = "Villa"
    let isAny: Bool? = record["rooms"]
    let price: Int? = record["price"]
    let small: Float? = record["rooms"]
    let name: Int? = record["name"]
    #expect(isAny == true && price == 1 && small == 2 && name == nil)
    record.encryptedValues["pin"] = 7
    let hasPin: Bool? = record.encryptedValues["pin"]
    #expect(hasPin == true)
  }

  @Test("members of objects are found on the values of fields, beside those of Swift's types")
  func objects() {
    let record = CKRecord(recordType: "Houses")
    let values: any CKRecordKeyValueSetting & Sendable = record.encryptedValues
    values["rooms"] = 3
    values["name"] = "Villa"
    values["seen"] = Date()
    #expect(values["rooms"]?.summary == "number 3")
    #expect(values["name"]?.summary == "text Villa")
    #expect(record.encryptedValues["seen"]?.summary == "an object")
    #expect(values["none"]?.summary == nil)
    record["photo"] = CKAsset(fileURL: URL(fileURLWithPath: "/a"))
    #expect(record["photo"]?.summary == "an object")
    let object = record["photo"] as? any __CKRecordObjCValue
    record["copy"] = object
    #expect(record["copy"] as? CKAsset === record["photo"] as? CKAsset)
  }

  @Test("a program's own type can be called a value, and is not stored")
  func own() {
    let record = CKRecord(recordType: "Houses")
    record["mood"] = Mood()
    #expect(record["mood"] == nil)
  }
}
