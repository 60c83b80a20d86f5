internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct NotificationFeedTests {
  /// Turns pages until there is no more.
  private func pages(
    _ feed: NotificationFeed,
    for caller: Caller = FeedStore.laptop,
    limit: () -> Int = { 0 }
  ) throws -> [NotificationPage] {
    var pages: [NotificationPage] = []
    var token: [UInt8] = []
    repeat {
      let page = try feed.page(for: caller, after: token, limit: limit())
      token = page.changeToken
      pages.append(page)
    } while pages.last?.moreComing == true && pages.count < 10_000
    return pages
  }

  private func names(_ pages: [NotificationPage]) -> [String] {
    pages.flatMap { page in page.items.map(\.id.description) }
  }

  @Test("a page ends before its bodies exceed the limit, and the next goes on there")
  func bytes() throws {
    let store = try FeedStore()
    try store.write {
      try store.addChannel(1, head: 20)
      try store.add(.init(channel: 1, name: "all", since: 0, ended: nil))
      for number in 1...20 {
        let body = [UInt8](repeating: UInt8(number), count: 900_000)
        try store.add(.init(channel: 1, sequence: Int64(number), committed: 1, body: body))
      }
    }
    let pages = try pages(store.feed())
    #expect(pages.map(\.items.count) == [4, 4, 4, 4, 4])
    #expect(names(pages) == (1...20).map { "1-\($0)" })
    for item in pages.flatMap(\.items) {
      #expect(store.stored(item.body).first == UInt8(item.id.sequence))
    }
  }

  @Test("a body that exceeds the limit alone is a page of its own")
  func oneLargeBody() throws {
    let store = try FeedStore()
    try store.write {
      try store.addChannel(1, head: 3)
      try store.add(.init(channel: 1, name: "all", since: 0, ended: nil))
      for (number, count) in [(1, 10), (2, 101), (3, 100)] {
        let body = [UInt8](repeating: 0, count: count)
        try store.add(.init(channel: 1, sequence: Int64(number), committed: 1, body: body))
      }
    }
    var limits = Limits()
    limits.answerBytesMax = 100
    let pages = try pages(store.feed(limits: limits))
    #expect(pages.map(\.items.count) == [1, 1, 1])
    #expect(names(pages) == ["1-1", "1-2", "1-3"])
  }

  @Test(
    "a channel left and joined again keeps its order when the clock went back",
    arguments: 1...6
  )
  func rangesOfOneChannel(limit: Int) throws {
    let store = try FeedStore()
    try store.write {
      try store.addChannel(1, head: 7)
      try store.addChannel(2, head: 2)
      try store.add(.init(channel: 1, name: "old", since: 1, ended: 3))
      try store.add(.init(channel: 1, name: "new", since: 4, ended: nil))
      try store.add(.init(channel: 2, name: "other", since: 0, ended: nil))
      for (number, committed) in [(1, 90), (2, 100), (3, 110), (4, 20), (5, 30), (6, 40), (7, 120)]
      {
        try store.add(
          .init(channel: 1, sequence: Int64(number), committed: Int64(committed), body: [])
        )
      }
      try store.add(.init(channel: 2, sequence: 1, committed: 105, body: []))
      try store.add(.init(channel: 2, sequence: 2, committed: 115, body: []))
    }
    let pages = try pages(store.feed()) { limit }
    #expect(names(pages) == ["1-2", "1-3", "1-5", "1-6", "1-7", "2-1", "2-2"])
    #expect(
      pages.flatMap { $0.items.map(\.subscriptionID) }
        == ["old", "old", "new", "new", "new", "other", "other"]
    )
  }

  @Test("a page that only skips still ends and moves on")
  func skippedRows() throws {
    let store = try FeedStore()
    try store.write {
      try store.addChannel(1, head: 100)
      try store.add(.init(channel: 1, name: "all", since: 0, ended: nil))
      for number in 1...100 {
        try store.add(
          .init(
            channel: 1,
            sequence: Int64(number),
            committed: 1,
            origin: number == 100 ? Caller(user: "bob", device: "laptop") : FeedStore.laptop,
            body: []
          )
        )
      }
    }
    var limits = Limits()
    limits.rowsPerPageMax = 30
    let feed = try store.feed(limits: limits)
    let pages = try pages(feed)
    #expect(pages.map(\.items.count) == [0, 0, 0, 1])
    let unnamed = try self.pages(feed, for: Caller(user: "ada", device: ""))
    #expect(names(unnamed).count == 100)
  }

  @Test("what one call caused is on one page; what does not fit on one is split, and that is said")
  func calls() throws {
    let store = try FeedStore()
    try store.write {
      try store.addChannel(1, head: 10)
      try store.add(.init(channel: 1, name: "all", since: 0, ended: nil))
      // Calls of 2, 3, 1 and 4 events.
      for (number, batch) in zip(Int64(1)..., [1, 1, 3, 3, 3, 6, 7, 7, 7, 7] as [Int64]) {
        try store.add(.init(channel: 1, sequence: number, committed: 1, batch: batch, body: [1]))
      }
    }
    let feed = try store.feed()
    func sizes(_ limit: Int) throws -> [String] {
      try pages(feed) { limit }.map { "\($0.items.count)\($0.isSplit ? "+" : "")" }
    }
    #expect(try sizes(10) == ["10"])
    #expect(try sizes(9) == ["6", "4"])
    #expect(try sizes(5) == ["5", "5"])
    #expect(try sizes(4) == ["2", "4", "4"])
    #expect(try sizes(3) == ["2", "3", "1", "3+", "1"])
    #expect(try sizes(1) == ["1+", "1", "1+", "1+", "1", "1", "1+", "1+", "1+", "1"])
  }

  @Test("any pages of any feed, put together, are what a plain model gives", arguments: [20, 120])
  func plainModel(channels: Int) throws {
    let seed = Seed.make("NotificationFeed")
    var random = SplitMix64(seed: seed)
    for _ in 0..<6 {
      var model = try RandomFeed(channels: channels, using: &random)
      let store = model.store
      try store.write {
        for _ in 0..<40 + random.below(200) {
          try model.call(using: &random)
          if random.oneIn(4) { try model.changeMembership(using: &random) }
          if random.oneIn(3) { try model.mark(using: &random) }
        }
      }
      for device in RandomFeed.devices {
        let caller = Caller(user: "ada", device: device)
        var limits = Limits()
        limits.pageItemsMax = 1 + random.below(40)
        limits.answerBytesMax = 1 + random.below(2_000)
        let areRowsShort = random.oneIn(2)
        if areRowsShort { limits.rowsPerPageMax = 1 + random.below(80) }
        let pages = try pages(store.feed(limits: limits), for: caller) { random.below(50) }
        let expected = model.expected(for: caller, after: 0)
        let found = pages.flatMap(\.items)
        #expect(names(pages) == expected.map(\.item.id.description), "seed \(seed)")
        #expect(
          found.map(\.subscriptionID) == expected.map(\.item.subscriptionID),
          "seed \(seed)"
        )
        let bodies = found.map { store.stored($0.body) }
        #expect(bodies == expected.map(\.item.body), "seed \(seed)")
        var rest = expected[...]
        for page in pages {
          let mine = rest.prefix(page.items.count)
          rest = rest.dropFirst(mine.count)
          check(page, mine, rest, limits, areRowsShort: areRowsShort, "seed \(seed)")
        }
      }
    }
  }

  /// Checks where a page ends: what it has, and what comes after it.
  private func check(
    _ page: NotificationPage,
    _ mine: ArraySlice<RandomFeed.Expected>,
    _ rest: ArraySlice<RandomFeed.Expected>,
    _ limits: Limits,
    areRowsShort: Bool,
    _ comment: Comment
  ) {
    let bytes = page.items.reduce(0) { $0 + $1.body.count }
    #expect(page.items.count <= limits.pageItemsMax, comment)
    #expect(page.items.count <= 1 || bytes <= limits.answerBytesMax, comment)
    let batches = Set(mine.map(\.batch))
    let goesOn = mine.last.map { $0.batch == rest.first?.batch } ?? false
    if goesOn { #expect(page.isSplit, comment) }
    if page.isSplit { #expect(batches.count == 1 && page.moreComing, comment) }
    if !areRowsShort { #expect(page.isSplit == goesOn, comment) }
    if !areRowsShort && !rest.isEmpty { #expect(page.moreComing, comment) }
  }
}
