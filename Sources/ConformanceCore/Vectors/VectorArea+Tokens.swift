extension VectorArea {
  /// Change tokens that servers issued.
  ///
  /// Frozen: whatever becomes of the format, servers read what earlier ones issued.
  static func tokens() -> Self {
    Self(
      name: "tokens",
      about: "Change tokens of a store with the incarnation a0...a7 and the secret 00...1f.",
      vectors: [
        token(
          "notifications",
          "Event 300 and read mark 7.",
          "01a0a1a2a3a4a5a6a7ac02071bfb3e87a59f94748c767fc69ee24b38",
          "n:ada",
          ["300", "7"]
        ),
        token(
          "zone",
          "A position in a feed.",
          "01a0a1a2a3a4a5a6a70c0005f2f0e69165011a7dfb1fb20609b5f1cb",
          "zone",
          ["12", "0", "5"]
        ),
        token(
          "large",
          "The largest number.",
          "01a0a1a2a3a4a5a6a7ffffffffffffffff7f001154b9de461650aad35db1542e7006f1",
          "x",
          ["9223372036854775807", "0"]
        ),
        token(
          "beginning",
          "Two zeros, for no purpose.",
          "01a0a1a2a3a4a5a6a7000009c164223950eefb4192be9c794147d0",
          "",
          ["0", "0"]
        ),
        token(
          "tampered",
          "A number was changed.",
          "01a0a1a2a3a4a5a6a7ac02081bfb3e87a59f94748c767fc69ee24b38",
          "n:ada",
          nil
        ),
        token(
          "other_purpose",
          "Issued for another user.",
          "01a0a1a2a3a4a5a6a7ac02071bfb3e87a59f94748c767fc69ee24b38",
          "n:bob",
          nil
        ),
        token(
          "other_store",
          "Issued before the data was restored: the incarnation is another.",
          "01b0a1a2a3a4a5a6a7ac02071bfb3e87a59f94748c767fc69ee24b38",
          "n:ada",
          nil
        ),
      ]
    )
  }

  private static func token(
    _ name: String,
    _ about: String,
    _ token: String,
    _ purpose: String,
    _ numbers: [String]?
  ) -> Vector {
    Vector(
      name: name,
      about: about,
      content: .token(token: token, purpose: purpose, numbers: numbers)
    )
  }
}
