internal import TidingsProto

/// `desiredKeys`, the fields that an answer has; none means all.
enum DesiredKeys {
  /// As many as a record type may have.
  static let countMax = 1_000

  /// Reads the names.
  ///
  /// - Parameters:
  ///   - input: The dictionary that may have them.
  ///   - member: The name of the member.
  /// - Returns: The names, each once; `nil`: all fields are wanted.
  /// - Throws: `badRequest`, with the path to what is wrong.
  static func names(
    _ input: WebInput,
    _ member: String = "desiredKeys"
  ) throws(WebFailure) -> Set<String>? {
    guard let names = try input.strings(member) else { return nil }
    guard names.count <= countMax else {
      throw .badRequest(
        "\(input.path(to: member)) has \(names.count) names and may have \(countMax): leave it out to get all "
          + "fields"
      )
    }
    return Set(names)
  }

  static func read(_ input: WebInput) throws(WebFailure) -> TidingsV1.DesiredKeys? {
    try names(input).map { .init(keys: $0.sorted()) }
  }
}
