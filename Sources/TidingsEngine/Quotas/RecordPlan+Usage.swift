extension RecordPlan.Write {
  /// What the write adds to the zone: records and the assets that they name.
  var recordChange: Usage {
    var change = Usage()
    if let body = row.body, let new {
      change += Usage(records: 1, bytes: Int64(body.count) + new.assetBytes)
    }
    if let body = replaced?.body, let old {
      change += Usage(records: -1, bytes: -Int64(body.count) - old.assetBytes)
    }
    return change
  }

  /// What the write adds with its tombstone, or takes away with the one that it replaces.
  var tombstoneBytes: Int64 {
    func bytes(_ row: RecordTable.Row) -> Int64 {
      row.body == nil ? StorageCost.tombstone(name: name, recordType: row.recordType) : 0
    }
    return bytes(row) - (replaced.map(bytes) ?? 0)
  }

  /// What the write adds to the account of its database's owner: an asset that it names and that the
  /// account has already, because nothing named it, is no more than before.
  var usageChange: Usage {
    recordChange + Usage(bytes: tombstoneBytes - redeemedBytes)
  }
}
