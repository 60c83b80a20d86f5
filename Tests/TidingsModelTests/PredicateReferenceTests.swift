import Foundation
import Testing
import TidingsModel

/// The examples of `docs/predicates.md` are true.
@Suite("Predicate reference")
struct PredicateReferenceTests {
  private static let page: [Substring] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let page = folder.appending(path: "../../docs/predicates.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }()

  /// The rows of a section's table, as the texts in backticks of each cell.
  private static func rows(of section: String) -> [[[String]]] {
    let start = page.firstIndex { $0 == "## \(section)" || $0 == "### \(section)" } ?? page.endIndex
    let lines = page[start...].dropFirst().prefix { !$0.hasPrefix("##") }
    let rows = lines.filter { $0.hasPrefix("|") }.dropFirst(2)
    return rows.map { row in row.dropFirst().dropLast().split(separator: "|").map(Self.code) }
  }

  private static func code(_ cell: Substring) -> [String] {
    let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
  }

  @Test func canonicalForms() throws {
    let rows = Self.rows(of: "Canonical form")
    #expect(rows.count == 9)
    for row in rows {
      let (written, canonical) = (try #require(row.first?.first), try #require(row.last?.first))
      #expect(try Predicate(text: written).text == canonical)
    }
  }

  @Test func comparisons() throws {
    let texts = Self.rows(of: "Comparisons").compactMap(\.first).joined()
    #expect(texts.count == 25)
    try check(texts)
  }

  @Test("every comparator of the web services has a text")
  func comparators() throws {
    let rows = Self.page.filter { $0.hasPrefix("| ") }
    for name in [
      "EQUALS", "NOT_EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN",
      "GREATER_THAN_OR_EQUALS", "NEAR", "CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS", "IN",
      "NOT_IN",
      "LIST_CONTAINS", "NOT_LIST_CONTAINS", "LIST_CONTAINS_ANY", "NOT_LIST_CONTAINS_ANY",
      "LIST_CONTAINS_ALL", "NOT_LIST_CONTAINS_ALL", "BEGINS_WITH", "NOT_BEGINS_WITH",
      "LIST_MEMBER_BEGINS_WITH", "NOT_LIST_MEMBER_BEGINS_WITH",
    ] {
      #expect(
        rows.contains {
          $0.dropFirst(2).prefix { $0 != "|" }.split(separator: /[ ,]+/).contains(name[...])
        },
        "\(name)"
      )
    }
    let texts = Self.rows(of: "Web services' comparators").compactMap { $0.last }.joined()
    #expect(texts.count == 23)
    try check(texts)
  }

  @Test func systemFields() throws {
    let rows = Self.rows(of: "System fields")
    #expect(rows.count == SystemField.allCases.count)
    for row in rows {
      let (name, schemaName) = (try #require(row[0].first), try #require(row[1].first))
      let field = try #require(SystemField(name: name))
      #expect(field.schemaName == schemaName)
      #expect(SystemField(name: schemaName)?.schemaName == schemaName)
    }
  }

  private func check(_ texts: some Sequence<String>) throws {
    for text in texts {
      let text = text.replacing(", …", with: "").replacing(" v", with: " 'v'")
        .replacing("{v", with: "{'v'").replacing(" w", with: " 'w'").replacing("v ", with: "'v' ")
      #expect(throws: Never.self, "\(text)") { try Predicate(text: text) }
    }
  }

  @Test func literals() throws {
    let texts = Self.rows(of: "Values").compactMap { $0.count > 1 ? $0[1] : nil }.joined()
    // Without escapes, which stand within quotes, and the row of the arguments.
    let literals = texts.filter { !"\\%IB".contains($0.prefix(1)) }
    #expect(literals.count == 17)
    for literal in literals {
      #expect(throws: Never.self, "\(literal)") { try Predicate(text: "a = \(literal)") }
    }
  }
}
