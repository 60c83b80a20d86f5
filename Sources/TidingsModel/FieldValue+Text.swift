extension FieldValue {
  /// The value as people read it: text as it is, times in ISO 8601, what is no text described briefly.
  ///
  /// - Parameters:
  ///   - characters: Most characters of the text; what is beyond is cut off.
  ///   - bytes: Most bytes of its UTF-8; no character is cut in two.
  /// - Returns: The text.
  public func text(characters: Int, bytes: Int) -> String {
    // As many members of a list as can be seen.
    description(memberCount: characters / 2 + 1).cut(characters: characters, bytes: bytes)
  }

  private func description(memberCount count: Int) -> String {
    switch self {
    case .string(let text): text
    case .int64(let number): String(number)
    case .double(let number): number.text
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .timestamp(let time): time.iso8601
    case .location(let position): position.text
    case .reference(let target): target.recordID.recordName
    case .asset(let file): "\(file.size) bytes"
    case .stringList(let texts): texts.prefix(count).joined(separator: ", ")
    case .int64List(let numbers): Self.list(numbers.prefix(count)) { String($0) }
    case .doubleList(let numbers): Self.list(numbers.prefix(count), \.text)
    case .bytesList(let all): Self.list(all.prefix(count)) { "\($0.count) bytes" }
    case .timestampList(let times): Self.list(times.prefix(count), \.iso8601)
    case .locationList(let positions): Self.list(positions.prefix(count), \.text)
    case .referenceList(let all): Self.list(all.prefix(count), \.recordID.recordName)
    case .assetList(let files): Self.list(files.prefix(count)) { "\($0.size) bytes" }
    // What is sealed has nothing to show; bytes of it would only look like something.
    case .unknownList, .encrypted: ""
    }
  }

  private static func list<Member>(
    _ members: ArraySlice<Member>,
    _ text: (Member) -> String
  )
    -> String
  {
    members.map(text).joined(separator: ", ")
  }
}

extension String {
  /// The beginning of the text, of whole characters.
  package func cut(characters: Int, bytes: Int) -> String {
    // No character has less than a byte.
    if utf8.count <= Swift.min(characters, bytes) { return self }
    var (end, count, byteCount) = (startIndex, 0, 0)
    while end < endIndex, count < characters {
      let next = index(after: end)
      byteCount += utf8.distance(from: end, to: next)
      guard byteCount <= bytes else { break }
      (end, count) = (next, count + 1)
    }
    return String(self[..<end])
  }
}

extension Double {
  /// Without the fraction of a whole number.
  fileprivate var text: String {
    let isWhole = self == rounded(.towardZero) && magnitude < 1e15
    return isWhole ? String(Int64(self)) : String(self)
  }
}

extension Location {
  fileprivate var text: String { "\(latitude), \(longitude)" }
}
