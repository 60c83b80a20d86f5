import RPCTestSupport
import Testing
import TidingsRPC

@Suite("RPCError") struct RPCErrorTests {
  private struct SecretFailure: Error, CustomStringConvertible {
    let description = "cannot open '/secret'"
  }

  private let failure = RPCError(.unavailable, "try again later", cause: SecretFailure())

  @Test("failures that are the same for a peer are equal")
  func equality() {
    let other = RPCError(.unavailable, "try again later")
    #expect(failure == other)
    #expect(Set([failure, other]).count == 1)
    #expect(failure != RPCError(.unavailable, "try again"))
    #expect(failure.withoutCause.cause == nil)
  }

  @Test("only the debug description shows the chain of causes")
  func descriptions() {
    let outer = RPCError(.internal, "a page is missing", cause: failure)
    #expect(outer.description == "INTERNAL: a page is missing")
    #expect(
      outer.debugDescription
        == "INTERNAL: a page is missing, caused by RPCError: UNAVAILABLE: try again later, "
        + "caused by SecretFailure: cannot open '/secret'"
    )
  }

  @Test("an error of a handler is the cause, and the message contains only its type")
  func thrown() {
    let error = RPCError.thrown(SecretFailure())
    #expect(error == RPCError(.unknown, "the handler failed with SecretFailure"))
    #expect(error.cause is SecretFailure)
  }

  @Test("a caller in the same process does not get the cause")
  func inProcess() async {
    let transport = InProcessTransport(router: CallRouter([FailingService(failure)]))
    let unary = await #expect(throws: RPCError.self) {
      try await transport.unary(FailingService.unary, [], options: CallOptions())
    }
    #expect(unary == failure && unary?.cause == nil)
    let stream = await #expect(throws: RPCError.self) {
      let responses = transport.serverStreaming(
        FailingService.stream,
        [],
        options: CallOptions()
      )
      for try await _ in responses {}
    }
    #expect(stream == failure && stream?.cause == nil)
  }
}
