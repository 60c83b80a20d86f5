/// The names that protoc-gen-c gives.
enum CNames {
  /// The prefix of a message's functions: `tidings.v1.RecordID` → `tidings__v1__record_id`.
  static func functionPrefix(_ fullName: String) -> String {
    fullName.split(separator: ".").map { lower($0) }.joined(separator: "__")
  }

  private static func lower(_ text: Substring) -> String {
    var result = ""
    var followsUpper = true
    for character in text {
      if character.isUppercase && !followsUpper { result += "_" }
      result += character.lowercased()
      followsUpper = character.isUppercase
    }
    return result
  }
}
