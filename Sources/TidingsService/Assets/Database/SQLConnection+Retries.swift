internal import TidingsSQL
internal import TidingsThreads

extension SQLConnection {
  /// Does something in a transaction, which is rolled back if it throws.
  func transaction<Value>(_ body: () throws -> Value) throws -> Value {
    try execute("BEGIN")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      abandon()
      throw error
    }
  }

  /// Does something again that the network or another transaction has made fail, after pauses like those of groups.
  ///
  /// - Parameter body: What to do; it has the same effect if it is done twice.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, in the end.
  func tryAgain<Value>(_ body: () throws -> Value) throws -> Value {
    for pause: Duration in [.milliseconds(20), .milliseconds(400), .seconds(2)] {
      do {
        return try body()
      } catch let error as SQLError where error.isPassing {
        abandon()
        _ = Semaphore().wait(for: pause)
      }
    }
    return try body()
  }
}

extension SQLError {
  /// Another attempt may succeed.
  var isPassing: Bool {
    switch kind {
    case .conflict, .disconnected, .uncertain: true
    case .damaged, .busy, .interrupted, .denied, .storage, .statement: false
    }
  }
}
