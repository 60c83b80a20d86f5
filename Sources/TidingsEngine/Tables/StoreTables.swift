internal import TidingsSQL

/// The tables of a store, described once for both engines: in SQLite's words, which `Dialect` translates.
///
/// A time of day is two columns: milliseconds since 1970, and X_nanos, the nanoseconds after that millisecond, 0 to
/// 999,999. One number of nanoseconds would end in 2262. Times in bodies of records and events are
/// google.protobuf.Timestamp.
enum StoreTables {
  /// All of them, for either engine.
  static var all: String {
    [
      store, zones, records, schema, subscriptions, notifications, accounts, sharing, deliveries,
    ].joined(separator: "\n\n")
  }
}
