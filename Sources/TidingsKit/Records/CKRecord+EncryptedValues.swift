internal import Synchronization

/// Values by name, as records have them and their encrypted values.
public protocol CKRecordKeyValueSetting: AnyObject {
  /// The value of a field.
  func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?
  /// Sets a field; `nil` removes it.
  func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)
  /// The names of the fields that have values.
  func allKeys() -> [CKRecord.FieldKey]
  /// The names of the fields that were set.
  func changedKeys() -> [CKRecord.FieldKey]
  /// The value of a field; `nil` removes it.
  subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? { get set }
  /// The value of a field as a type.
  subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? { get set }
}

extension CKRecordKeyValueSetting {
  /// The value of a field as an object, for members that only objects have; `nil` removes it.
  @_disfavoredOverload
  public subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    get { object(forKey: key)?.recordContent.object }
    set { setObject(newValue, forKey: key) }
  }
}

extension CKRecord: CKRecordKeyValueSetting {
  /// Why encrypted values of the record could not be opened, by field; they are left as they are.
  ///
  /// Not in CloudKit, where the system keeps the keys.
  public var encryptedValueErrors: [FieldKey: CKError] { contents.withLock { $0.unopened } }

  /// Values that are sealed before they leave this process: the server can neither read nor index them.
  ///
  /// Their keys are in the user's key ring: the file that `TIDINGS_KEY_RING` names, or the one in the user's
  /// data folder, which the first save of such a value makes.
  public var encryptedValues: any CKRecordKeyValueSetting & Sendable { EncryptedValues(self) }

  private final class EncryptedValues: CKRecordKeyValueSetting, Sendable {
    private let record: CKRecord

    init(_ record: CKRecord) { self.record = record }

    func object(forKey key: FieldKey) -> (any CKRecordValue)? { self[key] }
    func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) { self[key] = object }

    func allKeys() -> [FieldKey] {
      record.contents.withLock { contents in
        contents.encryptedKeys.filter { contents.values[$0] != nil }.sorted()
      }
    }

    func changedKeys() -> [FieldKey] {
      record.contents.withLock { $0.encryptedKeys.intersection($0.changedKeys).sorted() }
    }

    subscript(key: FieldKey) -> (any CKRecordValue)? {
      get {
        record.contents.withLock { $0.encryptedKeys.contains(key) ? $0.values[key] : nil }?.value
      }
      set { record.set(newValue?.recordContent, key, isEncrypted: true) }
    }

    subscript<T: CKRecordValueProtocol>(key: FieldKey) -> T? {
      get { CKRecordContent.read(self[key]) }
      set { record.set(newValue?.recordContent, key, isEncrypted: true) }
    }
  }
}
