internal import TidingsModel

extension ReferencePlan {
  /// A save that was found good so far.
  struct Save {
    /// The item's position in the call.
    var item: Int
    var recordID: RecordID
    /// What the record will refer to.
    var references: [BindingReference]
    /// What it referred to before.
    var old: Set<BindingReference>
    /// The record is there already.
    var exists: Bool
  }

  /// A deletion of a record that is there.
  struct Deletion {
    /// The item's position in the call.
    var item: Int
    var recordID: RecordID
  }

  /// A record that goes because it refers to one that goes.
  struct Cascade: Hashable {
    var recordID: RecordID
    /// The record whose deletion takes it along.
    var target: RecordID
  }

  /// What the store says.
  struct Stored {
    /// The names of the records that refer to one with delete-self.
    var owned: (RecordID) throws -> [String]
    /// The first record that refers to one otherwise and is looked for.
    var holder: (RecordID, (ReferenceSource) -> Bool) throws -> ReferenceSource?
    /// The name of the parent of a record; `nil`: it has none, or is not there.
    var parent: (RecordID) throws -> String? = { _ in nil }
    /// A record is there, and the caller may read it.
    var exists: (RecordID) throws -> Bool
    /// The caller may read a record that is there.
    var isReadable: (RecordID) throws -> Bool
    /// A record that is there is another user's, whom the caller must not depend on: if it would go along
    /// and cannot, it stays, and does not keep what it refers to.
    var isOthers: (RecordID) throws -> Bool = { _ in false }
  }
}
