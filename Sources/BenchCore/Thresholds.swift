internal import FoundationEssentials

/// The worst scores that are accepted, by figure.
///
/// A file is one JSON object: `{"echo.c1.n1": 1.4, "echo.c1.n64": 0.35}`. Whether a number is an upper
/// or a lower bound is the figure's affair.
public struct Thresholds: Hashable, Sendable {
  /// By the figure's name.
  public let bounds: [String: Double]

  /// Thresholds from a dictionary.
  public init(_ bounds: [String: Double]) { self.bounds = bounds }

  /// Reads a file's text.
  ///
  /// - Throws: When it is not a JSON object of numbers.
  public init(json: String) throws {
    bounds = try JSONDecoder().decode([String: Double].self, from: Data(json.utf8))
  }

  /// Compares figures with the bounds.
  ///
  /// A bound whose case was run and whose figure was not measured counts as missed: a misspelt name
  /// must not pass.
  ///
  /// - Parameters:
  ///   - figures: What was measured.
  ///   - cases: The cases that were run.
  /// - Returns: A sentence for each figure that is worse, in the order of their names.
  public func complaints(about figures: [Figure], cases: [String]) -> [String] {
    let scores = Dictionary(figures.map { ($0.name, $0.score) }) { first, _ in first }
    return bounds.sorted { $0.key < $1.key }.compactMap { name, bound in
      guard let found = scores[name], let score = found else {
        let wasRun = cases.contains { name == $0 || name.hasPrefix($0 + ".") }
        return wasRun ? "\(name) has a bound and was not measured" : nil
      }
      guard !score.satisfies(bound) else { return nil }
      let relation = score.direction == .atMost ? "at most" : "at least"
      return "\(name) is \(Decimal.text(score.value)) \(score.unit) and should be \(relation) "
        + Decimal.text(bound)
    }
  }
}
