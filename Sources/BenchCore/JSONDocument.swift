internal import FoundationEssentials

/// What is kept as one JSON document.
public protocol JSONDocument: Codable {}

extension JSONDocument {
  /// The document, which ends in a line break.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  /// Reads a document that `json` wrote.
  public init(json: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
  }
}
