/// How a server runs whose answers must not differ.
struct OracleManner {
  /// Every call has the store for itself, and pauses between its steps.
  let pauses: Bool
  /// The server reads again, before each transaction, what memory keeps of the store.
  let reloads: Bool

  init(seed: UInt64) { (pauses, reloads) = (seed.isMultiple(of: 2), seed / 2 % 2 == 0) }

  var arguments: [String] {
    (pauses ? ["--limit", "call-cost-max=0"] : []) + (reloads ? ["--reload-always"] : [])
  }
}
