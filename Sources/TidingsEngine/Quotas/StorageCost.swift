/// What stored things count in an account, in bytes, besides records and assets.
///
/// A row costs what it holds and a fixed part for its numbers and indexes. The migration that began the
/// account has the same figures in SQL.
enum StorageCost {
  /// The fixed part of a row.
  static let row: Int64 = 96
  /// The fixed part of a subscription, whose channel is another row.
  static let subscription: Int64 = 256

  /// A tombstone: never more than the record took.
  static func tombstone(name: String, recordType: String) -> Int64 {
    Int64(name.utf8.count + recordType.utf8.count)
  }

  /// A zone other than the default one, and the marker of its deletion.
  static func zone(name: String) -> Int64 { Int64(2 * name.utf8.count) + row }

  /// An entry of the notification log.
  static func event(body: Int, user: Int, device: Int) -> Int64 {
    Int64(body + user + device) + row
  }

  /// A subscription: its own row has the body, and that of its channel the definition.
  static func subscription(body: Int) -> Int64 { Int64(2 * body) + subscription }

  /// An answer that is kept for an idempotency key.
  static func answer(body: Int, key: Int) -> Int64 { Int64(body + key) + row }

  /// What a device left: a mark in a zone, or a note that it fetched notifications.
  static func trace(device: Int, content: Int = 0) -> Int64 { Int64(device + content) + row }
}
