internal import TidingsMatcher
internal import TidingsModel

extension RecordPlan {
  /// One row to write.
  ///
  /// A class, so that to hand it on costs a reference and not copies of two records.
  ///
  /// Unchecked: only the plan changes it, and calls nobody meanwhile.
  final class Write {
    /// The item's position in the call: the saves, then the deletions; `nil`: it goes along with another.
    let item: Int?
    let zone: ZoneEntry
    let name: String
    @exclusivity(unchecked) var row: RecordTable.Row
    /// The row that is there, alive or a tombstone.
    private(set) var replaced: RecordTable.Row?
    /// The record before; `nil` for a creation.
    private(set) var old: Record?
    /// The record after; `nil` for a deletion.
    @exclusivity(unchecked) var new: Record?
    /// Assets that the database gets with the record.
    let adopted: [Asset]
    /// References to others' records that do not keep them: their targets may be deleted.
    @exclusivity(unchecked) var looseReferences: Set<BindingReference> = []
    /// Bytes of assets that the record names first and that its owner pays for already.
    let redeemedBytes: Int64
    let discovery: SchemaDiscovery
    /// The query channels that it fires, if that is known already.
    @exclusivity(unchecked) var firings: [Firing]?

    init(
      item: Int?,
      zone: ZoneEntry,
      name: String,
      row: RecordTable.Row,
      replaced: RecordTable.Row?,
      old: Record?,
      new: Record?,
      adopted: [Asset] = [],
      redeemedBytes: Int64 = 0,
      discovery: SchemaDiscovery = SchemaDiscovery()
    ) {
      (self.item, self.zone, self.name) = (item, zone, name)
      (self.row, self.replaced) = (row, replaced)
      (self.old, self.new) = (old, new)
      (self.adopted, self.redeemedBytes) = (adopted, redeemedBytes)
      self.discovery = discovery
    }

    /// Gives back what it holds: it is written, and its subscriptions have fired.
    ///
    /// Large values of many records together take longer to be given back than a slice of a long call may.
    func letGo() {
      row.body = nil
      (replaced, old, new) = (nil, nil, nil)
    }
  }
}
