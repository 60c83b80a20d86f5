internal import TidingsJSON
internal import TidingsProto

extension GoogleProtobuf.Timestamp {
  /// This time as `2026-01-02T03:04:05.678Z`, truncated to milliseconds; empty if it cannot be represented.
  var text: String {
    JSONValue.timestamp(.init(seconds: seconds, nanos: nanos - nanos % 1_000_000)).string ?? ""
  }

  /// Returns the time elapsed since another time.
  func since(_ other: Self) -> Duration {
    .seconds(seconds &- other.seconds) + .nanoseconds(Int64(nanos) - Int64(other.nanos))
  }
}

extension GoogleProtobuf.Duration {
  /// A protobuf duration from Swift's own.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }
}

extension Duration {
  /// This duration for people: `340 ms`, `3.2 s`, `12 min`, `5.0 h`, `30.0 d`.
  var shortText: String {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    switch abs(seconds) {
    case ..<1: return "\(Int((seconds * 1_000).rounded())) ms"
    case ..<100: return "\((seconds * 10).rounded() / 10) s"
    case ..<6_000: return "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: return "\((seconds / 360).rounded() / 10) h"
    default: return "\((seconds / 8_640).rounded() / 10) d"
    }
  }
}
