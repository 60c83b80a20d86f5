/// How long somebody goes on without success: a slow machine only takes longer.
struct Patience {
  private let duration: Duration
  private var end: ContinuousClock.Instant

  init(_ duration: Duration) {
    self.duration = duration
    end = .now + duration
  }

  var isOver: Bool { ContinuousClock.now >= end }

  /// Something was achieved.
  mutating func renew() { end = .now + duration }

  /// Reads pages until one is the last.
  mutating func readToEnd(_ readPage: () async throws -> Call) async throws {
    while !isOver {
      let page = try await readPage()
      if page.isLast { return }
      if page.outcome == .ok { renew() }
    }
  }
}
