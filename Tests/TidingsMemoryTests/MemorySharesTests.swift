import Foundation
import Testing
import TidingsMemory

@Suite struct MemorySharesTests {
  private static let sizes = [
    MemoryShares.bytesMin, 220 << 20, 256 << 20, 1 << 30, MemoryShares.defaultBytes, 64 << 30,
    1_000_000_000_000,
  ]

  private static var shares: [MemoryShare] { MemoryShare.all.filter { !$0.isWithin } }

  @Test("the process and all shares are the memory, and no more", arguments: sizes)
  func sum(bytes: Int) {
    let memory = MemoryShares(bytes: bytes)
    let sum = Self.shares.reduce(MemoryShares.processBytes) { $0 + memory[$1] }
    #expect(sum <= bytes)
    #expect(bytes - sum < MemoryShare.partsOfAll)
    #expect(Self.shares.reduce(0) { $0 + $1.parts } == MemoryShare.partsOfAll)
  }

  @Test("a bound of one user or connection is within the share before it")
  func within() throws {
    var share = try #require(MemoryShare.all.first)
    #expect(!share.isWithin)
    for next in MemoryShare.all.dropFirst() {
      if next.isWithin { #expect(next.parts < share.parts, "\(next.what)") } else { share = next }
    }
  }

  @Test("all tables together have room in their share, and none is empty", arguments: sizes)
  func tables(bytes: Int) {
    let memory = MemoryShares(bytes: bytes)
    let sum = MemoryTable.all.reduce(0) { $0 + memory.count(of: $1) * $1.entryBytes * $1.tables }
    #expect(sum <= memory[.tables])
    for table in MemoryTable.all { #expect(memory.count(of: table) > 0) }
  }

  @Test(
    "each queue has room for the largest frame, also that of one user or connection",
    arguments: sizes
  )
  func frames(bytes: Int) {
    let memory = MemoryShares(bytes: bytes)
    let queues: [MemoryShare] = [
      .received, .requestsWaiting, .callsPostponed, .callsBehindLong, .groupAnswers, .unreadAnswers,
      .unreadAnswersPerUser,
      .unreadAnswersPerConnection, .unreadAnswersInLibzmq,
    ]
    for queue in queues { #expect(memory[queue] >= memory.frame, "\(queue.what)") }
    #expect(memory[.readsWaiting] / 2 >= memory.frame)
  }

  @Test("less than the least counts as the least")
  func least() {
    #expect(MemoryShares(bytes: 1) == MemoryShares(bytes: MemoryShares.bytesMin))
  }

  @Test("the documentation has this table")
  func documentation() throws {
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/limits.md"),
      encoding: .utf8
    )
    let (large, small) = (MemoryShares(), MemoryShares(bytes: 256 << 20))
    let rows = MemoryShare.all.map { share in
      let what = share.isWithin ? "of these, \(share.what)" : share.what
      return
        "| \(what) | \(share.parts) | \(Self.mebibytes(large[share])) | \(Self.mebibytes(small[share])) |"
    }
    let table = rows.joined(separator: "\n")
    #expect(page.contains(table), "docs/limits.md needs these rows:\n\(table)")
  }

  private static func mebibytes(_ bytes: Int) -> String {
    let tenths = bytes * 10 / (1 << 20)
    return tenths >= 100 ? "\(tenths / 10) MiB" : "\(tenths / 10).\(tenths % 10) MiB"
  }
}
