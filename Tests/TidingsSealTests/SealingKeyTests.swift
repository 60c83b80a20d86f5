internal import RandomSupport
internal import Testing
internal import TidingsSeal

@Suite struct SealingKeyTests {
  private func seal(
    _ message: [UInt8],
    _ key: SealingKey,
    _ nonces: inout NonceSequence
  ) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: SealingKey.overheadBytes) + message
    output.withUnsafeMutableBytes { key.seal($0, nonces.next()) }
    return output
  }

  @Test("what is sealed opens with its key, and with no other, and not when a bit was changed")
  func sealsAndOpens() throws {
    var random = SplitMix64(seed: 7)
    var nonces = NonceSequence()
    let key = SealingKey(secret: [UInt8](repeating: 1, count: 32), name: [1, 2, 3])
    let other = SealingKey(secret: [UInt8](repeating: 1, count: 32), name: [1, 2, 4])
    #expect(key.bytes.count == 32 && key != other)
    for count in [0, 1, 15, 16, 17, 200, 4096] {
      let message = (0..<count).map { _ in UInt8(random.below(256)) }
      var sealed = seal(message, key, &nonces)
      #expect(sealed.count == count + SealingKey.overheadBytes)
      #expect(key.open(sealed) == message)
      #expect(other.open(sealed) == nil)
      #expect(key.open(Array(sealed.dropLast())) == nil)
      sealed[random.below(sealed.count)] ^= 1 << UInt8(random.below(8))
      #expect(key.open(sealed) == nil)
    }
    for count in 0..<SealingKey.overheadBytes {
      #expect(key.open([UInt8](repeating: 0, count: count)) == nil)
    }
  }

  /// Made in Python, with hashlib's BLAKE2b and libsodium itself.
  @Test("derivation and box are those of other libraries")
  func knownAnswer() throws {
    let secret = [UInt8](0..<32)
    let key = SealingKey(secret: secret, name: Array("channel-key".utf8) + [UInt8](100..<116))
    #expect(key.bytes == KnownAnswer.key)
    #expect(key.open(KnownAnswer.sealed) == Array("a house was created".utf8))
  }

  @Test("no nonce comes twice, in one sequence or in several")
  func nonces() {
    let key = SealingKey(secret: [UInt8](repeating: 1, count: 32), name: [])
    var seen: Set<[UInt8]> = []
    for _ in 0..<20 {
      var nonces = NonceSequence()
      for _ in 0..<500 { seen.insert(Array(seal([], key, &nonces).prefix(24))) }
    }
    #expect(seen.count == 10_000)
  }

  @Test("a cache keeps keys, and not more than it may")
  func cache() {
    var derived = 0
    var cache = SealingKeyCache { topic in
      derived += 1
      return SealingKey(secret: [UInt8](repeating: 1, count: 32), name: topic)
    }
    func topic(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
    let first = cache.key(of: topic(0))
    #expect(cache.key(of: topic(0)) == first && derived == 1)
    for number in 0..<SealingKeyCache.keysMax + 10 { _ = cache.key(of: topic(number)) }
    #expect(cache.count <= SealingKeyCache.keysMax)
    #expect(cache.key(of: topic(0)) == first)
  }

  @Test("keys have 32 bytes")
  func keyLength() {
    #expect(SealingKey([]) == nil && SealingKey([UInt8](repeating: 0, count: 31)) == nil)
    #expect(SealingKey([UInt8](repeating: 0, count: 32)) != nil)
  }
}
