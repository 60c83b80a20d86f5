import Testing
import TidingsRPC

@Suite struct RepetitionKeyTests {
  private func method(_ idempotency: MethodDescriptor.Idempotency) -> MethodDescriptor {
    MethodDescriptor(
      service: "tidings.test.Service",
      name: "Method",
      kind: .unary,
      idempotency: idempotency,
      inputType: "tidings.test.Bytes",
      outputType: "tidings.test.Bytes"
    )
  }

  @Test("only calls that are idempotent, and not harmless, get a key of their own")
  func keys() throws {
    let options = CallOptions()
    #expect(options.withRepetitionKey(for: method(.unknown)).idempotencyKey == nil)
    #expect(options.withRepetitionKey(for: method(.noSideEffects)).idempotencyKey == nil)
    let key = try #require(options.withRepetitionKey(for: method(.idempotent)).idempotencyKey)
    #expect((1...WireLimits.idempotencyKeyBytesMax).contains(key.utf8.count))
    #expect(options.withRepetitionKey(for: method(.idempotent)).idempotencyKey != key)
    let named = CallOptions(timeout: .seconds(1), idempotencyKey: "mine")
    for idempotency in [MethodDescriptor.Idempotency.unknown, .idempotent, .noSideEffects] {
      #expect(named.withRepetitionKey(for: method(idempotency)).idempotencyKey == "mine")
    }
    let timed = CallOptions(timeout: .seconds(1)).withRepetitionKey(for: method(.idempotent))
    #expect(timed.timeout == .seconds(1))
  }
}
