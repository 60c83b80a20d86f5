/// The order of a request's operations, whose results the server returns saves first.
struct OperationOrder {
  private enum Entry {
    case save(Int)
    case deletion(Int)
  }

  private var entries: [Entry] = []
  private var saveCount = 0
  private var deletionCount = 0

  mutating func addSave() {
    entries.append(.save(saveCount))
    saveCount += 1
  }

  mutating func addDeletion() {
    entries.append(.deletion(deletionCount))
    deletionCount += 1
  }

  /// A request without operations asks for nothing, and is a mistake.
  func requireOperations() throws(WebFailure) {
    guard entries.isEmpty else { return }
    throw .badRequest("operations is empty: send at least one")
  }

  /// For each operation the index of its result.
  var positions: [Int] {
    entries.map { entry in
      switch entry {
      case .save(let index): index
      case .deletion(let index): saveCount + index
      }
    }
  }

  /// The results in the order of the operations.
  func ordered<Result>(_ results: [Result]) throws(WebFailure) -> [Result] {
    guard results.count == entries.count else {
      throw WebFailure(.internalError, "the server answered for another number of items")
    }
    return positions.map { results[$0] }
  }
}
