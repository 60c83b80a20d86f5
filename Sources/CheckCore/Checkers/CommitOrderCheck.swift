/// Decides whether the change tags of a zone are in the order of its commits: of two saves, one of which
/// was acknowledged before the other began, the second has the larger tag.
struct CommitOrderCheck {
  private let saves: [(begin: Int64, end: Int64, tag: Int64, call: Call)]

  init(_ calls: [Call]) {
    saves = calls.filter { $0.outcome == .ok }.compactMap { call in
      call.got.lazy.compactMap(\.tagNumber).first.map { (call.begin, call.end, $0, call) }
    }
  }

  func violation() -> Violation? {
    let byEnd = saves.sorted { $0.end < $1.end }
    var (next, newest): (Int, (tag: Int64, call: Call)?) = (0, nil)
    for save in saves.sorted(by: { $0.begin < $1.begin }) {
      while next < byEnd.count, byEnd[next].end < save.begin {
        if byEnd[next].tag > newest?.tag ?? -1 { newest = (byEnd[next].tag, byEnd[next].call) }
        next += 1
      }
      guard let newest, newest.tag >= save.tag else { continue }
      return Violation("a later save has no larger change tag", [newest.call, save.call])
    }
    return nil
  }
}
