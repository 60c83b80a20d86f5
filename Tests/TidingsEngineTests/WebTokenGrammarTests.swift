internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// What may be said of a web credential.
@Suite struct WebTokenGrammarTests {
  private static let now = Timestamp(millisecondsSince1970: 1_000_000)

  private func refusal(
    _ credential: WebTokenRequest.Credential,
    expires: Timestamp? = nil
  ) -> ItemError.Code? {
    let request = WebTokenRequest(
      container: "default",
      environment: .development,
      label: "website",
      expires: expires,
      credential
    )
    do {
      try WebTokenGrammar.check(request, at: Self.now)
      return nil
    } catch { return error.code }
  }

  @Test("origins are those that browsers send")
  func origins() {
    for origin in ["https://example.org", "http://localhost:8080", "https://[::1]:8443"] {
      #expect(refusal(.apiToken(origins: [origin], callbackURL: "")) == nil, "\(origin)")
    }
    for origin in [
      "", "https://", "example.org", "https://Example.org", "https://example.org/", "null", "*",
      "https://example.org https://other.org", "file://x", "https://e\u{e9}.org",
    ] {
      #expect(
        refusal(.apiToken(origins: [origin], callbackURL: "")) == .invalidArguments,
        "\(origin)"
      )
    }
    let many = (0..<200).map { "https://host-number-\($0).org" }
    #expect(refusal(.apiToken(origins: many, callbackURL: "")) == .invalidArguments)
  }

  @Test("callback URLs are absolute, without fragments, and cross no network unprotected")
  func callbacks() {
    for url in [
      "", "https://example.org/done?x=1", "https://Example.org", "http://localhost:8080/",
      "http://127.0.0.1/done", "http://[::1]:8080?x",
    ] {
      #expect(refusal(.apiToken(origins: [], callbackURL: url)) == nil, "\(url)")
    }
    for url in [
      "/done", "https:///x", "https://example.org/#x", "javascript:x", "https://a b",
      "http://example.org/done", "http://localhost.example.org", "http://localhost@example.org",
      "https://ada@example.org", "http://127.0.0.1.example.org", "http://[::1].example.org",
    ] {
      #expect(refusal(.apiToken(origins: [], callbackURL: url)) == .invalidArguments, "\(url)")
    }
  }

  @Test("server keys are P-256 keys, and credentials expire later than now")
  func keys() {
    let prefix: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08,
      0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    let key = prefix + [UInt8](repeating: 7, count: 64)
    #expect(refusal(.serverKey(user: "ada", publicKey: key)) == nil)
    for wrong in [[], Array(key.dropLast()), key + [0], [0] + key.dropFirst()] {
      #expect(refusal(.serverKey(user: "ada", publicKey: wrong)) == .invalidArguments)
    }
    let credential = WebTokenRequest.Credential.apiToken(origins: [], callbackURL: "")
    #expect(refusal(credential, expires: Self.now) == .invalidArguments)
    #expect(refusal(credential, expires: Self.now.advanced(milliseconds: 1)) == nil)
  }
}
