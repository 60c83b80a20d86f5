extension Schema {
  /// The schema in the schema language: roles, types, fields and grants sorted by name, columns
  /// aligned.
  public var text: String {
    var text = "DEFINE SCHEMA\n"
    for role in roles.sorted() { text += "\n    CREATE ROLE \(quoted(role));\n" }
    for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) {
      text += "\n    RECORD TYPE \(quoted(name)) (\(type.text)\n    );\n"
    }
    return text
  }

  /// Names in columns wider than this stand out of line, so that one long name does not move all.
  static let columnWidthMax = 40
}

extension Schema.RecordType {
  /// The lines between the parentheses, without the last line break.
  fileprivate var text: String {
    let rows = fields.sorted { $0.key < $1.key }.map { name, field in
      (name: quoted(name), type: field.typeText, indexes: field.indexes.text)
    }
    let nameWidth = rows.map(\.name.utf8.count).filter { $0 <= Schema.columnWidthMax }.max() ?? 0
    let typeWidth = rows.filter { !$0.indexes.isEmpty }.map(\.type.utf8.count).max() ?? 0
    let lines =
      rows.map { row in
        let head = row.name.padded(to: nameWidth) + " "
        return row.indexes.isEmpty
          ? head + row.type : head + row.type.padded(to: typeWidth) + " " + row.indexes
      }
      + grants.sorted { $0.key < $1.key }.map { role, rights in
        "GRANT \(rights.text) TO \"\(role)\""
      }
    return lines.map { "\n        " + $0 }.joined(separator: ",")
  }
}

extension Schema.Field {
  /// The declaration after the name.
  public var text: String { indexes.isEmpty ? typeText : "\(typeText) \(indexes.text)" }

  fileprivate var typeText: String {
    guard isEncrypted else { return type.text }
    guard case .values(let kind) = type, kind.isList else { return "ENCRYPTED " + type.text }
    return "LIST<ENCRYPTED \(kind.member.rawValue)>"
  }
}

extension Schema.FieldType {
  /// The type in the schema language, without ENCRYPTED.
  public var text: String {
    switch self {
    case .values(let kind): kind.rawValue
    case .number(preferred: nil): "NUMBER"
    case .number(let preferred?): "NUMBER PREFERRED AS \(preferred.rawValue)"
    }
  }

  /// The type with a text; `nil`: there is none.
  public init?(text: String) {
    switch text {
    case "NUMBER": self = .number(preferred: nil)
    case "NUMBER PREFERRED AS INT64": self = .number(preferred: .int64)
    case "NUMBER PREFERRED AS DOUBLE": self = .number(preferred: .double)
    default:
      guard let kind = FieldValue.Kind(rawValue: text), kind != .unknownList, !kind.isEncrypted
      else { return nil }
      self = .values(kind)
    }
  }
}

extension Schema.Indexes {
  /// The words of the language, separated by spaces; empty for none.
  public var text: String {
    SchemaWord.indexes.filter { contains($0.index) }.map(\.word.rawValue).joined(separator: " ")
  }
}

extension Schema.Rights {
  /// The words of the language, separated by commas; empty for none.
  public var text: String {
    SchemaWord.rights.filter { contains($0.right) }.map(\.word.rawValue).joined(separator: ", ")
  }
}

/// A name as the language has it: in quotes when it is reserved or begins with `_`.
func quoted(_ name: String) -> String {
  let isReserved = SchemaWord(rawValue: name.uppercased())?.isReserved ?? false
  return isReserved || name.utf8.first == UInt8(ascii: "_") ? "\"\(name)\"" : name
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - utf8.count))
  }
}
