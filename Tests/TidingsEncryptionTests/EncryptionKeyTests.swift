internal import RandomSupport
internal import Testing
internal import TidingsFiles

@testable import TidingsEncryption

@Suite struct EncryptionKeyTests {
  private let location = FieldLocation(
    container: "home",
    environment: "development",
    zoneOwner: "ada",
    zoneName: "_defaultZone",
    recordName: "d1",
    field: "pin"
  )

  @Test("a value opens with its key, at its place, unchanged, and not otherwise")
  func sealsAndOpens() throws {
    var random = SplitMix64(seed: 11)
    let (key, other) = (EncryptionKey(), EncryptionKey())
    #expect(key.id != other.id && key.id.count == 8)
    for count in [0, 1, 15, 16, 17, 200, 4096] {
      let value = (0..<count).map { _ in UInt8(random.below(256)) }
      var sealed = key.seal(value, for: location)
      #expect(sealed.count == count + EncryptionKey.overheadBytes)
      #expect(sealed != key.seal(value, for: location), "each seal has a nonce of its own")
      #expect(key.open(sealed, from: location) == value)
      #expect(other.open(sealed, from: location) == nil)
      for moved in elsewhere { #expect(key.open(sealed, from: moved) == nil, "\(moved)") }
      #expect(key.open(Array(sealed.dropLast()), from: location) == nil)
      sealed[random.below(sealed.count)] ^= 1 << UInt8(random.below(8))
      #expect(key.open(sealed, from: location) == nil)
    }
    for count in 0..<EncryptionKey.overheadBytes {
      #expect(key.open([UInt8](repeating: 0, count: count), from: location) == nil)
    }
  }

  /// Every other place that differs in one part, and two that only differ in where parts end.
  private var elsewhere: [FieldLocation] {
    var locations = [WritableKeyPath<FieldLocation, String>](
      [\.container, \.environment, \.zoneOwner, \.zoneName, \.recordName, \.field]
    ).map { part in
      var moved = location
      moved[keyPath: part] += "x"
      return moved
    }
    var shifted = location
    (shifted.recordName, shifted.field) = ("d", "1pin")
    locations.append(shifted)
    return locations
  }

  /// Made in Python with PyNaCl; docs/encryption.md has the same.
  @Test("key ids, places and sealed values are those of other libraries")
  func knownAnswer() throws {
    let key = try #require(EncryptionKey([UInt8](0..<32)))
    #expect(key.id.hexadecimal == "bbcc36ed047d52af")
    #expect(
      location.bytes.hexadecimal
        == "0019746964696e67732e76312e456e6372797074656456616c75650004686f6d65000b646576656c6f"
        + "706d656e740003616461000c5f64656661756c745a6f6e6500026431000370696e"
    )
    let value = [UInt8](hexadecimal: "0a0431323334")!
    let sealed = key.seal(value, for: location, nonce: [UInt8](100..<124))
    #expect(
      sealed.hexadecimal
        == "6465666768696a6b6c6d6e6f707172737475767778797a7b7677c882cc1ae700e17f96fd0cbd57fe80"
        + "ed81579ef6"
    )
    #expect(key.open(sealed, from: location) == value)
  }
}
