import Foundation

/// What blocks were reported, in order.
final class Collector<Value: Sendable>: @unchecked Sendable {
  // Behind `lock`.
  private let lock = NSLock()
  private var all: [Value] = []

  func append(_ value: Value) { lock.withLock { all.append(value) } }
  var values: [Value] { lock.withLock { all } }
}

extension Result {
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
