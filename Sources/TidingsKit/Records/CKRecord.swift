public import Foundation
internal import Synchronization
internal import TidingsProto

/// A dictionary of values with an identity, saved in a zone of a database.
///
/// A record keeps which of its fields were changed since it was fetched or made; a save sends those.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // All state is in `contents`, behind its lock.

  /// The name of a kind of records.
  public typealias RecordType = String
  /// The name of a field.
  public typealias FieldKey = String

  /// All that a record holds.
  struct Contents: Sendable {
    var recordType: String
    var recordID: CKRecord.ID
    var values: [String: CKRecordContent] = [:]
    var encryptedKeys: Set<String> = []
    var changedKeys: Set<String> = []
    var parent: CKRecord.Reference?
    var isParentChanged = false
    var share: CKRecord.Reference?
    var changeTag: String?
    var created: SystemModification?
    var modified: SystemModification?
    /// Why encrypted values could not be opened.
    var unopened: [String: CKError] = [:]
    /// Of shares.
    var shareTerms: ShareTerms?
  }

  /// When and by whom.
  struct SystemModification: Sendable {
    var date: Date
    var userName: String
    var device: String
  }

  let contents: Mutex<Contents>

  /// A new record.
  ///
  /// - Parameters:
  ///   - recordType: `[A-Za-z][A-Za-z0-9_]*`.
  ///   - recordID: Its identity; by default a random name in the default zone.
  public init(recordType: RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
    contents = Mutex(Contents(recordType: recordType, recordID: recordID))
    super.init()
  }

  /// A new record with a random name.
  public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
  }

  init(_ contents: Contents) {
    self.contents = Mutex(contents)
    super.init()
  }

  // MARK: System fields

  /// The kind of the record.
  public var recordType: RecordType { contents.withLock { $0.recordType } }
  /// The record's identity.
  public var recordID: CKRecord.ID { contents.withLock { $0.recordID } }
  /// Changes with every save on the server; `nil` before the first.
  open var recordChangeTag: String? { contents.withLock { $0.changeTag } }
  /// When the server first saved it.
  open var creationDate: Date? { contents.withLock { $0.created?.date } }
  /// When the server last saved it.
  open var modificationDate: Date? { contents.withLock { $0.modified?.date } }
  /// The user who saved it first.
  open var creatorUserRecordID: CKRecord.ID? {
    modification(\.created).map { .init(recordName: $0.userName) }
  }
  /// The user who saved it last.
  open var lastModifiedUserRecordID: CKRecord.ID? {
    modification(\.modified).map { .init(recordName: $0.userName) }
  }
  /// The device that saved it last, if it has a name.
  open var lastModifiedDevice: String? {
    modification(\.modified).flatMap { $0.device.isEmpty ? nil : $0.device }
  }

  private func modification(
    _ path: any KeyPath<Contents, SystemModification?> & Sendable
  ) -> SystemModification? {
    contents.withLock { $0[keyPath: path] }
  }

  // MARK: Relations

  /// The record to which this one belongs, for sharing; in the same zone.
  open var parent: CKRecord.Reference? {
    get { contents.withLock { $0.parent } }
    set {
      contents.withLock {
        $0.parent = newValue
        $0.isParentChanged = true
      }
    }
  }

  /// The share that this record is the root of, or lies below.
  open var share: CKRecord.Reference? { contents.withLock { $0.share } }

  /// Makes a record the parent of this one.
  open func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

  /// Makes a record the parent of this one.
  open func setParent(_ parentRecordID: CKRecord.ID?) {
    parent = parentRecordID.map { CKRecord.Reference(recordID: $0, action: .none) }
  }

  // MARK: Fields

  /// The value of a field.
  open func object(forKey key: FieldKey) -> (any CKRecordValue)? { self[key] }

  /// Sets a field; `nil` removes it.
  open func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) { self[key] = object }

  /// The value of a field.
  open func value(forKey key: String) -> Any? { self[key] }

  /// Sets a field; `nil` removes it.
  ///
  /// A value that no field can hold fails when the record is saved.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let value else {
      self[key] = nil
      return
    }
    let content = (value as? any CKRecordValueProtocol)?.recordContent
    set(
      content ?? .init(.unusable("a field cannot hold \(type(of: value))")),
      key,
      isEncrypted: false
    )
  }

  /// The names of the fields that have values.
  open func allKeys() -> [FieldKey] {
    contents.withLock { contents in
      contents.values.keys.filter { !contents.encryptedKeys.contains($0) }.sorted()
    }
  }

  /// The names of the fields that were set since the record was fetched or made.
  open func changedKeys() -> [FieldKey] { contents.withLock { $0.changedKeys.sorted() } }

  /// Sets fields, as `setValue(_:forKey:)` does.
  open func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
  }

  /// The values of fields; `NSNull` for those that have none.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forKey: key) ?? NSNull() }
    return values
  }

  /// The words of all texts, as a search in `self` would find them.
  open func allTokens() -> [String] {
    let texts = contents.withLock { $0.values.values.compactMap { $0.value as? String } }
    let words = texts.flatMap { $0.lowercased().split { !$0.isLetter && !$0.isNumber } }
    return Set(words.map(String.init)).sorted()
  }

  /// The value of a field; `nil` removes it.
  open subscript(key: FieldKey) -> (any CKRecordValue)? {
    get {
      contents.withLock { $0.encryptedKeys.contains(key) ? nil : $0.values[key] }?.value
    }
    set { set(newValue?.recordContent, key, isEncrypted: false) }
  }

  /// The value of a field as a type; `nil` when it has another one.
  ///
  /// Numbers are converted as `NSNumber` converts them.
  public subscript<T: CKRecordValueProtocol>(key: FieldKey) -> T? {
    get { CKRecordContent.read(self[key]) }
    set { set(newValue?.recordContent, key, isEncrypted: false) }
  }

  func set(_ content: CKRecordContent?, _ key: FieldKey, isEncrypted: Bool) {
    contents.withLock {
      $0.set(content, key)
      $0.changedKeys.insert(key)
      $0.unopened[key] = nil
      if isEncrypted {
        $0.encryptedKeys.insert(key)
      } else {
        $0.encryptedKeys.remove(key)
      }
    }
  }

  // MARK: Copies

  /// A record with the same contents, which changes by itself.
  open func copy(with zone: NSZone? = nil) -> Any { CKRecord(contents.withLock { $0 }) }

  /// Its type, name and fields.
  open override var description: String {
    let contents = contents.withLock { $0 }
    let fields = contents.values.keys.sorted().joined(separator: ", ")
    return "<CKRecord: \(contents.recordType) \(contents.recordID.recordName) {\(fields)}>"
  }

  // MARK: Archives

  /// Records can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the record with all its fields.
  open func encode(with coder: NSCoder) { contents.withLock { $0 }.encode(with: coder) }

  /// Writes the identity, the change tag and the modification info, without the fields: to be kept beside the
  /// program's own copy of them.
  open func encodeSystemFields(with coder: NSCoder) {
    contents.withLock { $0 }.systemFields.encode(with: coder)
  }

  /// Reads what `encode(with:)` or `encodeSystemFields(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let contents = Contents(coder: coder) else { return nil }
    self.contents = Mutex(contents)
    super.init()
  }
}

extension CKRecord {
  /// The field that names a record, for queries and sort descriptors.
  public enum SystemFieldKey {
    /// The record's name.
    public static let recordID: FieldKey = "recordName"
    /// When it was created.
    public static let creationDate: FieldKey = "creationDate"
    /// Who created it.
    public static let creatorUserRecordID: FieldKey = "creatorUserRecordID"
    /// When it was changed.
    public static let modificationDate: FieldKey = "modificationDate"
    /// Who changed it.
    public static let lastModifiedUserRecordID: FieldKey = "lastModifiedUserRecordID"
    /// The record that it belongs to.
    public static let parent: FieldKey = "parent"
    /// The share.
    public static let share: FieldKey = "share"
  }
}
