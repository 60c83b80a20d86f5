/// Decides whether transfers are atomic: every snapshot has the same total, no transfer is lost, and
/// no two start with the same version of an account.
///
/// A query is no snapshot while others write: it counts only if no transfer can still take effect.
package struct BankCheck {
  private let calls: [Call]
  private let opening: Call?

  package init(_ calls: [Call]) {
    self.calls = calls.sorted { $0.begin < $1.begin }
    opening = calls.first { $0.kind == .open && $0.outcome == .ok }
  }

  package func violations() -> [Violation] {
    [totals, lostTransfers, sharedVersions, tags].compactMap { $0 }
  }

  private static func total(_ accounts: [Version]) -> Int64 {
    accounts.reduce(0) { $0 + ($1.value ?? 0) }
  }

  private var audits: [Call] {
    let isQuiet = !calls.contains { $0.kind == .transfer && $0.outcome == .unknown }
    return calls.filter { call in
      call.kind == .audit && call.outcome == .ok && (isQuiet || call.manner != Call.query)
    }
  }
  private var transfers: [Call] { calls.filter { $0.kind == .transfer && $0.outcome == .ok } }

  private var totals: Violation? {
    guard let opening else { return nil }
    let (count, total) = (opening.sent.count, Self.total(opening.sent))
    let wrong = audits.first { $0.got.count != count || Self.total($0.got) != total }
    return wrong.map {
      Violation(
        "a snapshot has \($0.got.count) accounts with a total of \(Self.total($0.got)), not "
          + "\(count) with \(total)",
        [opening, $0]
      )
    }
  }

  /// A snapshot that begins after a transfer was acknowledged has its versions, or later ones.
  private var lostTransfers: Violation? {
    let transfers = transfers.sorted { $0.end < $1.end }
    var (newest, next): ([String: (tag: Int64, call: Call)], Int) = ([:], 0)
    for audit in audits {
      while next < transfers.count, transfers[next].end < audit.begin {
        for version in transfers[next].got {
          guard let tag = version.tagNumber, tag > newest[version.name]?.tag ?? 0 else { continue }
          newest[version.name] = (tag, transfers[next])
        }
        next += 1
      }
      for version in audit.got {
        guard let known = newest[version.name], known.tag > version.tagNumber ?? 0 else { continue }
        return Violation(
          "a snapshot has an older version of \(version.name) than was acknowledged before",
          [known.call, audit]
        )
      }
    }
    return nil
  }

  private var sharedVersions: Violation? {
    var first: [Version: Call] = [:]
    for transfer in transfers {
      for version in transfer.sent where !version.tag.isEmpty {
        let start = Version(version.name, tag: version.tag)
        if let earlier = first.updateValue(transfer, forKey: start) {
          return Violation(
            "two transfers were acknowledged that changed the same version of \(version.name)",
            [earlier, transfer]
          )
        }
      }
    }
    return nil
  }

  /// One change tag of an account never stands for two amounts.
  private var tags: Violation? {
    var seen: [Version: (value: Int64?, call: Call)] = [:]
    for call in calls where call.outcome == .ok {
      for version in call.got where !version.tag.isEmpty {
        let key = Version(version.name, tag: version.tag)
        if let earlier = seen[key], earlier.value != version.value {
          return Violation(
            "\(version.name) has two amounts with one change tag",
            [earlier.call, call]
          )
        }
        seen[key] = (version.value, call)
      }
    }
    return nil
  }
}

extension Call {
  /// The manner of a final read of all accounts with a query.
  package static let query = "query"
  /// The manners in which all accounts are read in the end.
  package static let audits = ["fetch", "feed", query]
}
