internal import TidingsProto
internal import TidingsWire

/// Names the owner of a record's zone, which the bytes of no stored record do.
package enum OwnerName {
  /// What is appended to the bytes of a stored record for those with whom it is shared: encoded messages, one
  /// after the other, are one message with the members of all.
  package static func bytes(_ owner: String) -> [UInt8] {
    var (zone, recordID, record) = (WireWriter(), WireWriter(), WireWriter())
    zone.add(TidingsV1.ZoneID.FieldNumber.ownerName, owner.utf8)
    recordID.add(TidingsV1.RecordID.FieldNumber.zoneID, zone.bytes)
    record.add(TidingsV1.Record.FieldNumber.recordID, recordID.bytes)
    return record.bytes
  }
}
