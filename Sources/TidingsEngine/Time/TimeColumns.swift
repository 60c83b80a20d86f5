internal import TidingsModel
internal import TidingsSQL

// A time of day in the store is two columns: milliseconds since 1970, and the nanoseconds after that
// millisecond. The first alone orders by time, to the millisecond.
extension SQLStatement {
  /// The time in two columns; `nil` where the first is null.
  func timestamp(_ column: Int, nanos: Int) -> Timestamp? {
    isNull(column) ? nil : time(column, nanos: nanos)
  }

  /// The time in two columns that are not null.
  func time(_ column: Int, nanos: Int) -> Timestamp {
    // A damaged row must not end the server.
    let rest = Int32(clamping: max(0, min(int64(nanos), 999_999)))
    return Timestamp(milliseconds: int64(column), nanoseconds: rest)
  }

  /// Binds a time to two parameters, null and 0 for `nil`.
  func bind(_ time: Timestamp?, at index: Int, nanos: Int) {
    bind(time?.millisecondsSince1970, at: index)
    bind(Int64(time?.nanosecondsOfMillisecond ?? 0), at: nanos)
  }
}
