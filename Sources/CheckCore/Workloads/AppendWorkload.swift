internal import Synchronization
internal import TidingsClient
internal import TidingsProto

/// Processes that create, update and delete records of their own, and one that follows the change feeds of
/// the zones page by page.
final class AppendWorkload: Workload {
  private let stage: Stage
  /// Where the reader continues in each zone.
  private let tokens = Mutex<[String: [UInt8]]>([:])

  init(_ stage: Stage) { self.stage = stage }

  var zones: [String] { (0..<2).map { "\(stage.runName)-\($0)" } }

  func run(_ process: inout LogicalProcess) async throws {
    if process.index == 0 {
      while stage.isOpen {
        let page = try await readPage(process.random.pick(zones), &process)
        if page.isLast { try await process.pause(10) }
      }
    } else {
      var writers = zones.map { RecordWriter(stage, zone: $0, type: "CheckEntry") }
      while stage.isOpen {
        let zone = process.random.below(writers.count)
        try await writers[zone].change(&process)
      }
    }
  }

  /// Reads the feeds to their ends, and each zone from its beginning.
  func finish(_ process: inout LogicalProcess) async throws {
    for zone in zones {
      var patience = Patience(stage.settings.patience)
      try await patience.readToEnd(of: "the feed of '\(zone)'", pagesMax: stage.pagesMax) {
        try await readPage(zone, &process)
      }
      try await process.make(Call(.fresh, zone)) { [self] _, call in
        call.got = try await stage.insist { try await ZoneRead(stage, zone).versions($0) }
      }
    }
  }

  private func readPage(_ zone: String, _ process: inout LogicalProcess) async throws -> Call {
    var call = Call(.page, "follower/\(zone)")
    let limit = 1 + process.random.below(6)
    var start = tokens.withLock { $0[zone] ?? [] }
    var next = start
    call.token = start.hexadecimal
    call = try await process.make(call) { [self] client, call in
      var page = try await ZoneRead(stage, zone).page(client, after: start, limit: limit)
      if !page.versions.isEmpty, !page.isLast, stage.faults.isDue(.skippedPage) {
        start = page.nextToken
        call.token = start.hexadecimal
        page = try await ZoneRead(stage, zone).page(client, after: start, limit: limit)
      }
      next = page.nextToken
      call.got = page.versions
      call.nextToken = next.hexadecimal
      call.isLast = page.isLast
    }
    if call.outcome == .ok { tokens.withLock { [next] in $0[zone] = next } }
    return call
  }
}

extension [UInt8] {
  /// Two digits for each byte.
  var hexadecimal: String {
    let digits = [Character]("0123456789abcdef")
    return reduce(into: "") { text, byte in
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
  }
}
