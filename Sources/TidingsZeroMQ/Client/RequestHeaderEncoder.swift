internal import TidingsRPC

/// Encodes the headers of requests.
enum RequestHeaderEncoder {
  static func call(_ id: UInt64, _ call: OutgoingCall, timeout: Duration?) -> [UInt8] {
    var w = W(); w.n(1, id); w.b(3, Array(call.method.utf8))
    if let timeout { w.n(4, UInt64(UInt32(clamping: max(1, timeout.wholeMilliseconds)))) }
    for (k, v) in call.metadata.entries { var e = W(); e.b(1, Array(k.utf8)); e.b(2, Array(v.utf8)); w.b(5, e.o) }
    if let k = call.idempotencyKey { w.b(6, Array(k.utf8)) }
    return w.o
  }
  static func cancel(_ id: UInt64) -> [UInt8] { var w = W(); w.n(1, id); w.n(2, 2); return w.o }
  static func credit(_ id: UInt64, _ c: UInt32) -> [UInt8] { var w = W(); w.n(1, id); w.n(2, 3); w.n(7, UInt64(c)); return w.o }
}
private struct W { var o: [UInt8] = []
  mutating func v(_ x: UInt64) { var r = x; while r >= 0x80 { o.append(UInt8(truncatingIfNeeded: r) | 0x80); r >>= 7 }; o.append(UInt8(r)) }
  mutating func n(_ f: UInt64, _ x: UInt64) { v(f << 3); v(x) }
  mutating func b(_ f: UInt64, _ x: [UInt8]) { v(f << 3 | 2); v(UInt64(x.count)); o += x }
}
