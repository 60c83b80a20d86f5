internal import CommandLineTools
internal import TidingsProto

/// Parses the sort order of a query: `year,-title,distance(location,52.5,13.4)`.
enum SortText {
  /// Returns the keys of a text, in order.
  static func descriptors(_ text: String) throws(UsageError) -> [TidingsV1.SortDescriptor] {
    var descriptors: [TidingsV1.SortDescriptor] = []
    for key in try keys(text) { descriptors.append(try descriptor(key)) }
    return descriptors
  }

  /// The expected form, for messages.
  static let form =
    "--sort takes a comma-separated list of FIELD, -FIELD or distance(FIELD,LATITUDE,LONGITUDE)"

  /// Splits at commas outside parentheses.
  private static func keys(_ text: String) throws(UsageError) -> [String] {
    var keys = [""]
    var depth = 0
    for character in text {
      switch character {
      case ",": if depth == 0 { keys.append("") } else { keys[keys.count - 1].append(character) }
      default:
        depth += character == "(" ? 1 : character == ")" ? -1 : 0
        keys[keys.count - 1].append(character)
      }
      guard (0...1).contains(depth) else { throw UsageError("\(form), not '\(text)'") }
    }
    guard depth == 0 else { throw UsageError("\(form); missing ')' in '\(text)'") }
    return keys.map(trimmed)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func descriptor(_ key: String) throws(UsageError) -> TidingsV1.SortDescriptor {
    let isDescending = key.hasPrefix("-")
    let name = isDescending ? String(key.dropFirst()) : key
    guard !name.isEmpty, !name.hasPrefix("-") else { throw UsageError("\(form), not '\(key)'") }
    guard name.contains("(") else { return .init(fieldName: name, descending: isDescending) }
    let distance = "distance("
    let parts = name.dropFirst(distance.count).dropLast().split(separator: ",").map(trimmed)
    guard name.hasPrefix(distance), name.hasSuffix(")"), parts.count == 3,
      let latitude = Double(parts[1]), let longitude = Double(parts[2]),
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else {
      throw UsageError("\(form), for example distance(location,52.5,13.4), not '\(key)'")
    }
    return .init(
      fieldName: parts[0],
      descending: isDescending,
      relativeLocation: .init(latitude: latitude, longitude: longitude)
    )
  }
}
