internal import CommandLineTools
internal import Glibc
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// The text of a record that is being edited: a file that only its user can read.
struct RecordDraft {
  let path: String
  private let original: JSONObject
  private let text: [UInt8]

  /// Writes a record as JSON to a temporary file.
  init(_ record: JSONValue) throws {
    original = record.object ?? [:]
    let name = original["recordName"]?.string ?? ""
    path = Self.temporaryPath(name) + ".json"
    text = record.text(isPretty: true) + [UInt8(ascii: "\n")]
    do {
      try File(path: path, .createNew).write(text[...], at: 0)
    } catch {
      throw LocalFailure("\(error)")
    }
  }

  /// Returns the path of a temporary file, with a word in its name.
  static func temporaryPath(_ word: String) -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let word = word.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(32)
    return "\(folder)/rpcctl-\(word)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
  }

  /// Returns the changes, to be saved unless others saved meanwhile; `nil`: none.
  func change(zoneID: TidingsV1.ZoneID) throws -> TidingsV1.Record? {
    let edited: JSONValue
    do {
      edited = try JSONValue(parsing: try Input.system.read(path))
    } catch let error as JSONSyntaxError {
      throw UsageError("the edited text is not JSON: \(error)")
    }
    return try Self.change(from: original, to: edited.object ?? [:]).map {
      try RecordJSON.record(.object($0), "the edited record", zoneID: zoneID)
    }
  }

  /// Returns the fields and the parent that differ, removed ones as null, with the original change tag.
  static func change(
    from original: JSONObject,
    to edited: JSONObject
  ) throws(UsageError) -> JSONObject? {
    for name in ["recordName", "recordType", "zoneName", "ownerName"]
    where edited[name] != original[name] {
      throw UsageError("'\(name)' cannot be changed: create another record")
    }
    let (old, new) = (original["fields"]?.object ?? [:], edited["fields"]?.object ?? [:])
    var fields = JSONObject()
    for field in new.members where old[field.name] != field.value {
      fields.append(field.name, field.value)
    }
    for field in old.members where new[field.name] == nil { fields.append(field.name, .null) }
    let parentIsChanged = edited["parent"] != original["parent"]
    let shareIsChanged = edited["share"] != original["share"]
    guard !fields.members.isEmpty || parentIsChanged || shareIsChanged else { return nil }
    var change = original
    change["fields"] = .object(fields)
    change["parent"] = parentIsChanged ? edited["parent"] ?? .null : nil
    // A share must be saved with its root record.
    change["share"] = edited["share"] ?? original["share"]
    return change
  }

  /// Removes the file.
  func discard() { try? Folder.remove(path) }

  /// Keeps an edited text, and prints its path with advice.
  func keep(_ output: Output) {
    guard let edited = try? Input.system.read(path), edited != text else { return discard() }
    let name = printable(original["recordName"]?.string ?? "")
    output.log("rpcctl: the edited text is kept in \(path)")
    output.hint(
      """
      `rpcctl records get \(name)` shows the stored record. To overwrite it, remove from the file the \
      fields to keep, then run `rpcctl records put \(path) --save-policy changed-keys`.
      """
    )
  }
}
