import BenchCore
import TidingsKeys

/// What rpcd adds to libzmq where connections are encrypted and callers prove who they are.
enum CurveCase {
  /// HealthService/Check against a ROUTER with CURVE that sends the same frames back.
  static func run(_ bench: Bench) throws -> [Figure] {
    let (server, keys) = try bench.startSecureServer()
    defer { server.stop() }
    let pair = KeyPair()
    let bare = try bench.startBare("bare-curve-echo", pair.secretKey.hexadecimalText)
    defer { bare.stop() }
    let compared = Comparison.Pair(
      name: "curve",
      baseline: .init(
        server: try bare.address(),
        calls: CallSequence(Calls.check(), check: .baseline),
        keys: ClientKeys(KeyPair(), server: pair.publicKey)
      ),
      measured: .init(
        server: server.address,
        calls: CallSequence(Calls.check(), check: .serving),
        keys: keys
      )
    )
    return try Comparison(bench, "curve", [compared]).figures(
      compared.name,
      .init(ratio: [.single: 1.15, .many: 0.87])
    )
  }
}

extension [UInt8] {
  /// Two digits for each byte.
  fileprivate var hexadecimalText: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension KeyPair {
  /// The pair of a secret key in hexadecimal digits.
  init?(secretText: String) {
    let digits = Array(secretText.utf8).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 2 * PublicKey.byteCount else { return nil }
    self.init(
      secretKey: stride(from: 0, to: digits.count, by: 2).map { position in
        UInt8(digits[position] << 4 | digits[position + 1])
      }
    )
  }
}
