internal import TidingsJSON

/// Bytes and what they mean, the same in every language.
struct Vector {
  /// What is to be tried.
  enum Content {
    /// A message in both forms.
    case message(type: String, binary: [UInt8], json: JSONValue)
    /// A message from a newer version: `json` is what this version knows of it.
    case unknownFields(type: String, binary: [UInt8], json: JSONValue)
    /// Another way to write a message in JSON, or in binary; what it is in the usual one.
    case acceptedJSON(type: String, text: String, binary: [UInt8])
    case acceptedBinary(type: String, binary: [UInt8], usual: [UInt8])
    /// Bytes or a text that no client takes for a message.
    case refusedBinary(type: String, binary: [UInt8])
    case refusedJSON(type: String, text: String)
    /// A push, its topic's key and channel (empty: the control topic), what is inside (`nil`: refused).
    case push(push: [UInt8], key: [UInt8], channelID: String, opened: [UInt8]?)
    /// An encrypted value, where it stands, what is inside (`nil`: refused).
    case value(EncryptedLocation, value: [UInt8], opened: [UInt8]?)
    /// A text of binary keys, and the bytes (`nil`: refused).
    case z85(text: String, bytes: [UInt8]?)
    /// A key file, and its keys in Z85 (none: refused).
    case keyFile(text: String, publicKey: String?, secretKey: String?)
    /// A change token in hexadecimal, its purpose, its numbers (`nil`: refused); for servers.
    case token(token: String, purpose: String, numbers: [String]?)
  }

  /// Where an encrypted value stands.
  struct EncryptedLocation {
    var keyRing: String
    var databaseID: [UInt8]
    var recordID: [UInt8]
    var field: String
    var user: String
  }

  /// Unique in its file.
  let name: String
  /// What it is there for, in a sentence.
  let about: String
  let content: Content
}

/// The vectors of one area: a file.
struct VectorArea {
  /// The file's name, without `.json`.
  let name: String
  let about: String
  let vectors: [Vector]

  /// All areas.
  static func all() throws -> [Self] {
    [
      try headers(), try records(), try services(), try forms(), try refused(), try pushes(),
      values(), keys(), tokens(),
    ]
  }
}
