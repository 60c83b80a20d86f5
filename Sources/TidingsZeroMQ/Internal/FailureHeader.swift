internal import TidingsRPC

/// Encodes the headers of responses with an error.
enum FailureHeader {
  static func encode(callID: UInt64, _ error: RPCError) -> [UInt8] {
    var out: [UInt8] = []
    func v(_ x: UInt64) { var r = x; while r >= 0x80 { out.append(UInt8(truncatingIfNeeded: r) | 0x80); r >>= 7 }; out.append(UInt8(r)) }
    func b(_ n: UInt64, _ x: [UInt8]) { v(n << 3 | 2); v(UInt64(x.count)); out += x }
    if callID != 0 { v(8); v(callID) }
    v(16); v(UInt64(error.code.rawValue))
    if !error.message.isEmpty { b(3, Array(error.message.utf8)) }
    for d in error.details {
      let save = out; out = []
      b(1, Array(d.typeURL.utf8)); b(2, d.value)
      let sub = out; out = save
      b(4, sub)
    }
    v(48); v(1)
    return out
  }
}
