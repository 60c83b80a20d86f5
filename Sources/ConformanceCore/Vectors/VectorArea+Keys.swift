extension VectorArea {
  /// Binary keys as text, and key files.
  static func keys() -> Self {
    Self(
      name: "keys",
      about: "Z85 (ZeroMQ's RFC 32), and files with CURVE keys.",
      vectors: [
        z85(
          "example",
          "The example of the RFC.",
          "HelloWorld",
          [0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b]
        ),
        z85("empty", "Nothing.", "", []),
        z85("zeros", "The smallest group.", "00000", [0, 0, 0, 0]),
        z85("ones", "The largest group.", "%nSc0", [255, 255, 255, 255]),
        z85("one_too_large", "The group after the largest.", "%nSc1", nil),
        z85("much_too_large", "The largest digits.", "#####", nil),
        z85("cut_short", "Not a multiple of five.", "Hello1", nil),
        z85("character_that_is_none", "A quotation mark.", "Hell\"", nil),
        file(
          "pair",
          "A pair; the secret key has the bytes 1...32.",
          "# Tidings CURVE key pair: test\n\npublic-key \(publicKey)\nsecret-key \(secretKey)\n",
          publicKey,
          secretKey
        ),
        file(
          "pair_in_another_order",
          "Lines in another order, with more white space, and no end of the last line.",
          "  secret-key\t\(secretKey)  \n# between\npublic-key   \(publicKey)",
          publicKey,
          secretKey
        ),
        file(
          "secret_alone",
          "The public key follows from the secret one.",
          "secret-key \(secretKey)\n",
          publicKey,
          secretKey
        ),
        file("public_alone", "The part to be shown.", "public-key \(publicKey)\n", publicKey, nil),
        file(
          "not_a_pair",
          "The two do not belong together.",
          "public-key \(otherKey)\nsecret-key \(secretKey)\n",
          nil,
          nil
        ),
        file(
          "key_twice",
          "One key appears twice.",
          "public-key \(publicKey)\npublic-key \(publicKey)\n",
          nil,
          nil
        ),
        file(
          "short_key",
          "A key has 40 characters.",
          "public-key \(publicKey.dropLast())\n",
          nil,
          nil
        ),
        file("other_words", "A line that says something else.", "key \(publicKey)\n", nil, nil),
        file("nothing", "No key at all.", "# nothing\n", nil, nil),
      ]
    )
  }

  private static let secretKey = "0rJua1Qkhq2)}4G4gS)W5Ft->6=4P585:Cl9uDpB"
  private static let publicKey = "2CVWV6D&QXW]Ii55A)@qco1MAyn+7#3/w+9Xnrjk"
  private static let otherKey = "szs#hp/J=p+C%@ouhp/lzke8P<-A2PtgxmzxZ}%D"

  private static func z85(
    _ name: String,
    _ about: String,
    _ text: String,
    _ bytes: [UInt8]?
  ) -> Vector {
    Vector(name: "z85_" + name, about: about, content: .z85(text: text, bytes: bytes))
  }

  private static func file(
    _ name: String,
    _ about: String,
    _ text: String,
    _ publicKey: String?,
    _ secretKey: String?
  ) -> Vector {
    Vector(
      name: "file_" + name,
      about: about,
      content: .keyFile(text: text, publicKey: publicKey, secretKey: secretKey)
    )
  }
}
