#if PostgreSQL
internal import TidingsSQL

/// Numbers of what the server has prepared: statements of one text, whose parameters have the same types, share one.
struct PreparedTexts {
  private struct Text: Hashable {
    let sql: String
    let signature: [SQLType?]
  }

  private struct Entry {
    let text: Text
    var userCount: Int
  }

  private var lastNumber = 0
  private var numbers: [Text: Int] = [:]
  private var entries: [Int: Entry] = [:]

  /// The number for a statement, which uses it until it drops it.
  mutating func use(_ sql: String, _ signature: [SQLType?]) -> Int {
    let text = Text(sql: sql, signature: signature)
    if let number = numbers[text] {
      entries[number]?.userCount += 1
      return number
    }
    lastNumber += 1
    numbers[text] = lastNumber
    entries[lastNumber] = Entry(text: text, userCount: 1)
    return lastNumber
  }

  /// The text of a number; `nil`: no statement uses it.
  func text(of number: Int) -> String? { entries[number]?.text.sql }

  /// A statement uses a number no longer.
  ///
  /// - Returns: Whether nobody does.
  mutating func drop(_ number: Int) -> Bool {
    guard var entry = entries.removeValue(forKey: number) else { return true }
    entry.userCount -= 1
    guard entry.userCount == 0 else {
      entries[number] = entry
      return false
    }
    numbers[entry.text] = nil
    return true
  }
}
#endif
