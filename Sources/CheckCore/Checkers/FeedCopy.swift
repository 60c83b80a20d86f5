/// A copy of a zone, made from the pages that one reader got, and compared with what was saved.
struct FeedCopy {
  /// What is known of one record.
  private struct Known {
    /// The values of saves that did not fail, with the calls.
    var saves: [Int64: Call] = [:]
    /// The deletion, if it did not fail.
    var deletion: Call?
    /// A call of unknown outcome may still change it.
    var isUncertain = false
  }

  private var known: [String: Known] = [:]
  /// Saves and deletions that were acknowledged, in the order of their ends.
  private let acknowledged: [Call]
  private var records: [String: Version] = [:]
  private var newestTag: Int64 = 0

  init(_ saves: [Call]) {
    acknowledged = saves.filter { $0.outcome == .ok }.sorted { $0.end < $1.end }
    for call in saves where call.outcome != .failed {
      for version in call.sent {
        if call.kind == .delete {
          known[version.name, default: Known()].deletion = call
        } else if let value = version.value {
          known[version.name, default: Known()].saves[value] = call
        }
        if call.outcome == .unknown { known[version.name, default: Known()].isUncertain = true }
      }
    }
  }

  /// Applies pages, and returns what is wrong with one of them.
  mutating func violation(following pages: [Call]) -> Violation? {
    var (earlier, next): (Call?, Int) = (nil, 0)
    for page in pages {
      guard page.token == earlier?.nextToken ?? "" else {
        return Violation(
          "a page does not continue the one before",
          [earlier, page].compactMap { $0 }
        )
      }
      earlier = page
      if let violation = apply(page) { return violation }
      guard page.isLast else { continue }
      while next < acknowledged.count, acknowledged[next].end < page.begin {
        if let what = missing(acknowledged[next], page) {
          return Violation(what, [acknowledged[next], page])
        }
        next += 1
      }
    }
    return nil
  }

  private mutating func apply(_ page: Call) -> Violation? {
    for version in page.got {
      guard let value = version.value else {
        guard let deletion = known[version.name]?.deletion, deletion.begin < page.end else {
          return Violation("\(version.name) is deleted in the feed, and nobody deleted it", [page])
        }
        records[version.name] = nil
        continue
      }
      guard let save = known[version.name]?.saves[value], save.begin < page.end else {
        return Violation("\(version) is in the feed, and was not saved, or that failed", [page])
      }
      let tag = version.tagNumber ?? 0
      guard tag >= newestTag else {
        return Violation("\(version) comes after a larger change tag", [save, page])
      }
      newestTag = tag
      let stored = save.got.first { $0.name == version.name }
      if let stored, stored.tag != version.tag {
        return Violation("\(version) has another change tag in the feed", [save, page])
      }
      records[version.name] = version
    }
    return nil
  }

  /// What the copy lacks of an acknowledged call, after a last page.
  ///
  /// A reader that never got a record is not notified of its deletion.
  private func missing(_ call: Call, _ page: Call) -> String? {
    for version in call.sent {
      let copied = records[version.name]
      if call.kind == .delete {
        if copied != nil { return "\(version.name) is not deleted in the feed" }
      } else if let copied {
        let saved = call.got.first { $0.name == version.name }?.tagNumber ?? 0
        guard copied.tagNumber ?? 0 < saved else { continue }
        return "\(version) was acknowledged, and the feed has an older version"
      } else if known[version.name]?.deletion.map({ $0.begin >= page.end }) ?? true {
        return "\(version) was acknowledged, and is not in the feed"
      }
    }
    return nil
  }

  /// How the copy differs from a read of the whole zone.
  func difference(from fresh: Call) -> Violation? {
    let stored = Dictionary(fresh.got.map { ($0.name, $0) }) { $1 }
    let names = Set(stored.keys).union(records.keys).sorted()
    let other = names.first { name in
      records[name] != stored[name] && known[name]?.isUncertain != true
    }
    return other.map { name in
      Violation(
        "the copy has \(records[name]?.description ?? "no \(name)"), a fresh read "
          + (stored[name]?.description ?? "no \(name)"),
        [fresh]
      )
    }
  }
}
