internal import TidingsJSON

/// Makes vectors of messages from their JSON form.
struct VectorMaker {
  private let transcoder: JSONTranscoder

  init() throws { transcoder = try ContractSchema.transcoder() }

  /// A message in both forms.
  func message(
    _ name: String,
    _ about: String,
    _ type: String,
    _ text: String
  ) throws -> Vector {
    let json = try JSONValue(parsing: text)
    let binary = try transcoder.encode(json, as: type)
    return Vector(
      name: name,
      about: about,
      content: .message(type: type, binary: binary, json: json)
    )
  }

  /// The value of a text in JSON.
  func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

  /// The binary form of a message.
  func binary(_ type: String, _ text: String) throws -> [UInt8] {
    try transcoder.encode(JSONValue(parsing: text), as: type)
  }

  /// A message with further fields, at its end.
  func unknown(
    _ name: String,
    _ about: String,
    _ type: String,
    _ text: String,
    adding more: [UInt8]
  ) throws -> Vector {
    let binary = try binary(type, text) + more
    return Vector(
      name: name,
      about: about,
      content: .unknownFields(type: type, binary: binary, json: try JSONValue(parsing: text))
    )
  }

  /// Another way to write a message in JSON.
  func acceptedJSON(
    _ name: String,
    _ about: String,
    _ type: String,
    _ text: String,
    meaning usual: String
  ) throws -> Vector {
    Vector(
      name: name,
      about: about,
      content: .acceptedJSON(type: type, text: text, binary: try binary(type, usual))
    )
  }
}
