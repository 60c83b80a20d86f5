internal import TidingsModel
internal import TidingsProto

/// Returns the time of day.
func wallClock() -> GoogleProtobuf.Timestamp {
  let now = Timestamp.now
  return .init(seconds: now.seconds, nanos: now.nanoseconds)
}
