/// How long somebody goes on without success: a slow machine only takes longer.
package struct Patience {
  private let duration: Duration
  private var end: ContinuousClock.Instant

  package init(_ duration: Duration) {
    self.duration = duration
    end = .now + duration
  }

  var isOver: Bool { ContinuousClock.now >= end }

  /// Something was achieved.
  mutating func renew() { end = .now + duration }

  /// Reads pages until one is the last.
  ///
  /// - Parameters:
  ///   - what: What is read, for people.
  ///   - pagesMax: More pages than there can be: a server may always announce one more.
  ///   - readPage: Reads the next page.
  /// - Throws: `CheckError` when the end is not reached; what `readPage` throws.
  package mutating func readToEnd(
    of what: String,
    pagesMax: Int,
    _ readPage: () async throws -> Call
  ) async throws {
    var pageCount = 0
    while !isOver, pageCount < pagesMax {
      let page = try await readPage()
      if page.isLast { return }
      guard page.outcome == .ok else { continue }
      pageCount += 1
      if page.nextToken != page.token { renew() }
    }
    throw CheckError(
      pageCount < pagesMax
        ? "\(what) was not read to its end: no progress for \(duration)"
        : "\(what) has no end: after \(pageCount) pages there was always one more"
    )
  }
}
