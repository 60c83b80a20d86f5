internal import Foundation

/// The fields of a record with their values, in the order of their names.
public struct CKRecordKeyValueIterator: IteratorProtocol {
  private let record: any CKRecordKeyValueSetting
  private var keys: ArraySlice<CKRecord.FieldKey>

  init(_ record: any CKRecordKeyValueSetting) {
    self.record = record
    keys = record.allKeys()[...]
  }

  /// The next field and its value.
  public mutating func next() -> (CKRecord.FieldKey, any CKRecordValue)? {
    while let key = keys.popFirst() {
      if let value = record.object(forKey: key) { return (key, value) }
    }
    return nil
  }
}

extension CKRecordKeyValueSetting {
  /// Goes through the fields and their values.
  public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

extension CKRecord: Sequence {}

extension CKRecord {
  /// The types of records that the service has itself.
  public enum SystemType {
    /// Users.
    public static let userRecord: CKRecord.RecordType = "Users"
    /// Shares.
    public static let share: CKRecord.RecordType = CKRecordTypeShare
  }
}

// The names of constants are CloudKit's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of users' records.
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field with the record to which a record belongs.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field with the share of a record.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share
