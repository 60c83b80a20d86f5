internal import Foundation
internal import TidingsProto
internal import TidingsProtobuf

extension GoogleProtobuf.Timestamp {
  /// To the nearest nanosecond.
  ///
  /// A `Date` counts seconds from 2001 in a Double. More than 97 days from there (2^23 seconds) its steps are wider
  /// than a nanosecond, and the way back gives an equal `Date`. Nearer they are finer: the way back gives
  /// the `Date` next to the nanosecond, which then stays as it is.
  init(_ date: Date) {
    let time = date.timeIntervalSinceReferenceDate
    // Years 1 to 9999 are what the server takes; what is beyond is refused there.
    let bounded = max(-1e12, min(1e12, time.isNaN ? 0 : time))
    let second = bounded.rounded(.down)
    let nanos = ((bounded - second) * 1e9).rounded()
    let carry: Int64 = nanos < 1e9 ? 0 : 1
    self.init(
      seconds: Int64(second) + Self.referenceSeconds + carry,
      nanos: carry == 0 ? Int32(nanos) : 0
    )
  }

  /// From 1970 to 2001, where a `Date` counts from.
  fileprivate static let referenceSeconds: Int64 = 978_307_200
}

extension Date {
  init(_ time: GoogleProtobuf.Timestamp) {
    let second = Double(time.seconds) - Double(GoogleProtobuf.Timestamp.referenceSeconds)
    self.init(timeIntervalSinceReferenceDate: second + Double(time.nanos) / 1e9)
  }
}
