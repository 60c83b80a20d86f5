internal import TidingsProto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The time of day, to the millisecond.
func wallClock() -> GoogleProtobuf.Timestamp {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  let milliseconds = Int32(time.tv_nsec / 1_000_000)
  return .init(seconds: Int64(time.tv_sec), nanos: milliseconds * 1_000_000)
}
