import Testing

@testable import TidingsProtobuf

@Suite("Base64")
struct Base64Tests {
  @Test(
    "decodes with and without padding",
    arguments: [
      ("", []), ("Zg==", [0x66]), ("Zm8=", [0x66, 0x6f]), ("Zm9v", [0x66, 0x6f, 0x6f]),
      ("+/8=", [0xfb, 0xff]), ("AAAA", [0, 0, 0]),
    ] as [(String, [UInt8])]
  )
  func decodes(text: String, bytes: [UInt8]) {
    #expect(Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0) } == bytes)
  }
}
