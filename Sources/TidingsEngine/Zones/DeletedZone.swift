internal import TidingsModel

/// A zone that was deleted, and may still have rows.
struct DeletedZone {
  /// Its number in the store, which no other zone gets before the last row is removed.
  let number: Int64
  /// Its name, which a new zone may have by now.
  let id: ZoneID
  let database: DatabaseEntry
}
