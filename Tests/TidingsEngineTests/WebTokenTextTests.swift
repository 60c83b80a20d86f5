internal import RandomSupport
internal import Testing

@testable internal import TidingsEngine

/// Each token has one text, and each text at most one token.
@Suite struct WebTokenTextTests {
  @Test(
    "texts of random bytes are read back, and no other text is",
    arguments: 1...20 as ClosedRange<UInt64>
  )
  func texts(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bytes = random.bytes(WebTokenText.bytesCount)
    let text = WebTokenText.base64URL(bytes)
    #expect(text.utf8.count == WebTokenText.base64URLCount)
    #expect(Self.bytes(ofBase64URL: text) == bytes)
    #expect(Self.bytes(ofHexadecimal: bytes.hexadecimal) == bytes)
    // The last character has two bits that no token uses.
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let readable = alphabet.filter { Self.bytes(ofBase64URL: text.dropLast() + "\($0)") != nil }
    #expect(readable.count == 16 && readable.contains(text.last ?? " "))
    for wrong in [
      text + "A", String(text.dropLast()), text.dropLast() + "=", text.dropLast() + "+",
    ] {
      #expect(Self.bytes(ofBase64URL: String(wrong)) == nil)
    }
    for wrong in ["", bytes.hexadecimal + "0", "g" + bytes.hexadecimal.dropFirst()] {
      #expect(Self.bytes(ofHexadecimal: wrong) == nil)
    }
  }

  @Test("the hash of a token is its SHA-256")
  func hash() throws {
    let hash = Array("abc".utf8).withUnsafeBytes { WebTokenHash(hashing: $0) }
    #expect(
      hash.bytes.hexadecimal
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    #expect(WebTokenHash(hash.bytes) == hash)
  }

  private static func bytes(ofBase64URL text: String) -> [UInt8]? {
    Array(text.utf8).withUnsafeBytes { WebTokenText.withBytes(ofBase64URL: $0) { Array($0) } }
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    Array(text.utf8).withUnsafeBytes { WebTokenText.withBytes(ofHexadecimal: $0) { Array($0) } }
  }
}
