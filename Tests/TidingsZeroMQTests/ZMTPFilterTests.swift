import CZMTPFilter
import RandomSupport
import Testing

@Suite("CZMTPFilter") struct ZMTPFilterTests {
  private func greeting(_ mechanism: String = "NULL", revision: UInt8 = 3) -> [UInt8] {
    [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, revision, 1] + Array(mechanism.utf8)
      + [UInt8](repeating: 0, count: 20 - mechanism.utf8.count) + [UInt8](repeating: 0, count: 32)
  }

  private func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
    [UInt8(name.utf8.count)] + Array(name.utf8)
      + withUnsafeBytes(of: UInt32(value.count).bigEndian) { Array($0) } + value
  }

  private func frame(_ flags: UInt8, _ body: [UInt8], isLong: Bool) -> [UInt8] {
    if !isLong, body.count < 256 { return [flags, UInt8(body.count)] + body }
    return [flags | 2] + withUnsafeBytes(of: UInt64(body.count).bigEndian) { Array($0) } + body
  }

  /// What comes out of a stream that is read in random pieces.
  private func filtered(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var stream = tidings_zmtp_stream_begin()
    var result: [UInt8] = []
    while result.count < bytes.count {
      let end = min(bytes.count, result.count + 1 + random.below(40))
      var piece = Array(bytes[result.count..<end])
      tidings_zmtp_stream_hide_identity(&stream, &piece, piece.count)
      result += piece
    }
    return result
  }

  @Test(
    "only the names of the first command change, in any pieces",
    arguments: 0..<50 as Range<UInt64>
  )
  func identity(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let value = random.bytes(random.below(300))
    func command(_ name: String) -> [UInt8] {
      [5] + Array("READY".utf8) + property("Socket-Type", Array("DEALER".utf8))
        + property(name, value)
        + property("", []) + property("Identitz9", Array("Identity".utf8)) + property(name, [])
    }
    let isLong = Bool.random(using: &random)
    let rest = frame(0, command("Identity"), isLong: isLong) + random.bytes(100)
    let bytes = greeting() + frame(4, command("Identity"), isLong: isLong) + rest
    let hidden = greeting() + frame(4, command("Xdentity"), isLong: isLong) + rest
    #expect(filtered(bytes, &random) == hidden, "seed \(seed)")
  }

  @Test("streams of other protocols pass unchanged", arguments: 0..<50 as Range<UInt64>)
  func others(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let ready = frame(4, [5] + Array("READY".utf8) + property("Identity", [1]), isLong: false)
    let streams = [
      greeting("CURVE") + ready, greeting("NULLX") + ready, greeting(revision: 1) + ready,
      Array("GET / HTTP/1.1\r\nIdentity".utf8) + ready, random.bytes(500), [1, 0] + ready,
    ]
    for bytes in streams { #expect(filtered(bytes, &random) == bytes, "seed \(seed)") }
  }

  @Test("no bytes lead the filter out of its frame", arguments: 0..<200 as Range<UInt64>)
  func junk(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bytes = greeting() + random.bytes(random.below(2000))
    let result = filtered(bytes, &random)
    #expect(result.count == bytes.count && result.prefix(64) == bytes.prefix(64))
  }
}
