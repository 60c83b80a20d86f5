internal import Testing

@testable internal import TidingsFiles

@Suite struct SHA256Tests {
  @Test(
    "the standard's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]
  )
  func examples(text: String, expected: String) {
    #expect(SHA256.checksum(of: Array(text.utf8)).hexadecimal == expected)
  }

  @Test("pieces and copies change nothing")
  func pieces() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var whole = SHA256()
    whole.update(bytes[..<301])
    var copy = whole
    copy.update([1, 2, 3])
    whole.update(bytes[301...])
    #expect(whole.checksum() == SHA256.checksum(of: bytes))
    #expect(copy.checksum() == SHA256.checksum(of: bytes[..<301] + [1, 2, 3]))
  }

  @Test("hexadecimal digits and back")
  func hexadecimal() {
    #expect([0, 15, 16, 255].hexadecimal == "000f10ff")
    #expect([UInt8](hexadecimal: "000F10ff") == [0, 15, 16, 255])
    for wrong in ["0", "0g", "é0", " 0", "+1"] { #expect([UInt8](hexadecimal: wrong) == nil) }
  }
}
