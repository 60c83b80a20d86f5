/// A record: a name, a type, fields, and what the server adds.
public struct Record {
  /// When, by whom and from which device a record was written.
  public struct ModificationInfo: Hashable, Sendable {
    /// By the server's clock.
    public var timestamp: Timestamp
    /// The user and the device.
    public var caller: Caller

    /// Modification info from its parts.
    public init(timestamp: Timestamp, caller: Caller) {
      self.timestamp = timestamp
      self.caller = caller
    }
  }

  /// The values, in one piece of memory: a record is handed on often and changed in few places, so that a copy
  /// costs a reference until it is changed.
  ///
  /// Unchecked: only the record reaches it, whose own accesses are exclusive.
  @usableFromInline
  final class Storage {
    @exclusivity(unchecked) @usableFromInline var recordID: RecordID
    @exclusivity(unchecked) @usableFromInline var recordType: String
    @exclusivity(unchecked) @usableFromInline var fields: RecordFields
    @exclusivity(unchecked) @usableFromInline var changeTag = ""
    @exclusivity(unchecked) @usableFromInline var created: ModificationInfo?
    @exclusivity(unchecked) @usableFromInline var modified: ModificationInfo?
    @exclusivity(unchecked) @usableFromInline var parent: Reference?
    @exclusivity(unchecked) @usableFromInline var share: Share?
    @exclusivity(unchecked) @usableFromInline var shareRecordName = ""

    @usableFromInline
    init(_ recordID: RecordID, _ recordType: String, _ fields: RecordFields) {
      (self.recordID, self.recordType, self.fields) = (recordID, recordType, fields)
    }

    @usableFromInline
    init(copying other: Storage) {
      (recordID, recordType, fields) = (other.recordID, other.recordType, other.fields)
      (changeTag, created, modified) = (other.changeTag, other.created, other.modified)
      (parent, share, shareRecordName) = (other.parent, other.share, other.shareRecordName)
    }
  }

  @usableFromInline var storage: Storage

  /// A record that was never saved.
  @inlinable
  public init(recordID: RecordID, recordType: String, fields: RecordFields = RecordFields()) {
    storage = Storage(recordID, recordType, fields)
  }

  @inlinable
  mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
  }

  /// Which one.
  public var recordID: RecordID {
    @inlinable get { storage.recordID }
    @inlinable _modify {
      makeUnique()
      yield &storage.recordID
    }
  }

  /// The type, fixed when the record is created.
  public var recordType: String {
    @inlinable get { storage.recordType }
    @inlinable _modify {
      makeUnique()
      yield &storage.recordType
    }
  }

  /// By name.
  public var fields: RecordFields {
    @inlinable get { storage.fields }
    @inlinable _modify {
      makeUnique()
      yield &storage.fields
    }
  }

  /// The state: opaque, changed by every save; empty for a record never saved.
  public var changeTag: String {
    @inlinable get { storage.changeTag }
    @inlinable _modify {
      makeUnique()
      yield &storage.changeTag
    }
  }

  /// When, by whom and from where it was created; set by the server.
  public var created: ModificationInfo? {
    @inlinable get { storage.created }
    @inlinable _modify {
      makeUnique()
      yield &storage.created
    }
  }

  /// When, by whom and from where it was saved last; set by the server.
  public var modified: ModificationInfo? {
    @inlinable get { storage.modified }
    @inlinable _modify {
      makeUnique()
      yield &storage.modified
    }
  }

  /// The record that this one belongs to, in the same zone.
  ///
  /// In a save, `nil` keeps the stored parent, and one without a record name removes it.
  public var parent: Reference? {
    @inlinable get { storage.parent }
    @inlinable _modify {
      makeUnique()
      yield &storage.parent
    }
  }

  /// What it shares and with whom; only records of the type `cloudkit.share` have it.
  public var share: Share? {
    @inlinable get { storage.share }
    @inlinable _modify {
      makeUnique()
      yield &storage.share
    }
  }

  /// The name of the share of this record and its descendants, set by the server; empty: it has none.
  public var shareRecordName: String {
    @inlinable get { storage.shareRecordName }
    @inlinable _modify {
      makeUnique()
      yield &storage.shareRecordName
    }
  }
}

extension Record: Hashable {
  /// Whether all members are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.storage === b.storage
      || a.recordID == b.recordID && a.recordType == b.recordType && a.fields == b.fields
        && a.changeTag == b.changeTag && a.created == b.created && a.modified == b.modified
        && a.parent == b.parent && a.share == b.share && a.shareRecordName == b.shareRecordName
  }

  /// Hashes what differs most.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(recordID)
    hasher.combine(recordType)
    hasher.combine(fields)
    hasher.combine(changeTag)
  }
}

/// Unchecked: the storage is changed only where one record has it.
extension Record: @unchecked Sendable {}
