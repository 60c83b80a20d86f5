import Testing
import TidingsModel

@Suite("ItemError") struct ItemErrorTests {
  private struct Failure: Error, CustomStringConvertible {
    let description = "expected ')' at column 7"
  }

  @Test("the cause is shown by the debug description only, and not compared")
  func cause() {
    let error = ItemError(.invalidArguments, "the predicate is invalid", cause: Failure())
    let other = ItemError(.invalidArguments, "the predicate is invalid")
    #expect(error == other)
    #expect(Set([error, other]).count == 1)
    #expect(error != ItemError(.invalidArguments, "the predicate is invalid", retryAfter: .zero))
    #expect(error.description == "the predicate is invalid")
    #expect(
      error.debugDescription
        == "the predicate is invalid, caused by Failure: expected ')' at column 7"
    )
  }
}
