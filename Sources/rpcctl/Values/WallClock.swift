internal import TidingsProto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Returns the time of day.
func wallClock() -> GoogleProtobuf.Timestamp {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return .init(seconds: Int64(time.tv_sec), nanos: Int32(time.tv_nsec))
}
