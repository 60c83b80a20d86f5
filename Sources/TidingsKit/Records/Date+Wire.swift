internal import Foundation
internal import TidingsProto
internal import TidingsProtobuf

extension GoogleProtobuf.Timestamp {
  /// To the millisecond, as the server keeps times.
  init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // Years 1 to 9999 are what the server takes; what is beyond is refused there.
    let bounded = Int64(max(-1e15, min(1e15, milliseconds.isNaN ? 0 : milliseconds)))
    let seconds = Int64((Double(bounded) / 1000).rounded(.down))
    self.init(seconds: seconds, nanos: Int32(bounded - seconds * 1000) * 1_000_000)
  }
}

extension Date {
  init(_ time: GoogleProtobuf.Timestamp) {
    self.init(timeIntervalSince1970: Double(time.seconds) + Double(time.nanos) / 1e9)
  }
}
