internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Devices that read on while calls, read marks, memberships and retention go on.
@Suite struct ReadMarkFeedTests {
  /// Where a device stands.
  private struct Reader {
    var token: [UInt8] = []
    var location: Int64 = 0
    var marks = 0
  }

  @Test("devices get what a plain model gives, or the error that their token expired")
  func plainModel() throws {
    let seed = Seed.make("ReadMarkFeed")
    var random = SplitMix64(seed: seed)
    var expirations = 0
    for channels in [3, 8, 30, 90] {
      var model = try RandomFeed(channels: channels, using: &random)
      var limits = Limits()
      limits.pageItemsMax = 1 + random.below(30)
      limits.rowsPerPageMax = 5 + random.below(100)
      limits.notificationsMax = 50
      let feed = try model.store.feed(limits: limits)
      var readers: [String: Reader] = [:]
      for _ in 0..<250 {
        let store = model.store
        switch random.below(20) {
        case 0..<9: try store.write { try model.call(using: &random) }
        case 9..<11: try store.write { try model.changeMembership(using: &random) }
        case 11..<14: try store.write { try model.mark(using: &random) }
        case 14: try model.retain(using: &random)
        default:
          // One reads rarely.
          let device = random.oneIn(10) ? "phone" : random.pick(["laptop", "server", ""])
          let isExpired = try read(feed, model, &readers[device, default: Reader()], device, seed)
          if isExpired { expirations += 1 }
        }
      }
    }
    #expect(expirations > 0, "seed \(seed)")
  }

  /// Reads all that there is for a device.
  ///
  /// - Returns: The token had expired.
  private func read(
    _ feed: NotificationFeed,
    _ model: RandomFeed,
    _ reader: inout Reader,
    _ device: String,
    _ seed: UInt64
  ) throws -> Bool {
    let caller = Caller(user: "ada", device: device)
    var items: [NotificationID] = []
    var marks: [NotificationID] = []
    let isNew = reader.token.isEmpty
    let mustExpire = !isNew && model.isExpired(reader.location)
    do {
      while true {
        let page = try feed.page(for: caller, after: reader.token)
        items += page.items.map(\.id)
        marks += page.readMarks
        reader.token = page.changeToken
        #expect(page.readMarks.isEmpty || page.items.count + page.readMarks.count <= 30)
        guard page.moreComing else { break }
      }
    } catch let error as ItemError where error.code == .changeTokenExpired {
      #expect(mustExpire, "seed \(seed): \(error)")
      reader = Reader()
      return true
    }
    #expect(!mustExpire, "seed \(seed): the token of \(reader.location) works")
    let expected = model.expected(for: caller, after: reader.location).map(\.item.id)
    #expect(items == expected, "seed \(seed)")
    let expectedMarks = isNew ? [] : model.expectedMarks(for: caller, after: reader.marks)
    // A mark may outlive its notification.
    #expect(marks.filter { !model.isForgotten($0) } == expectedMarks, "seed \(seed)")
    (reader.location, reader.marks) = (model.last, model.marks.count)
    return false
  }
}
