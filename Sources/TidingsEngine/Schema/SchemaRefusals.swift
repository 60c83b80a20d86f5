internal import TidingsModel

/// Why a save is refused by its schema.
extension ItemError {
  // The first sentences are CloudKit's own: clients look for them.

  static func unknownType(_ name: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "Cannot create new type \(name) in production schema: save such a record in development, or "
        + "declare the type there, then deploy the schema (rpcctl schema deploy)"
    )
  }

  static func untaughtType(_ name: String, in container: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "record type '\(name)' is not in the schema, and only developers' saves add types: let a user "
        + "with the role 'developer' or '\(container)/developer' save such a record or declare the type "
        + "(rpcctl schema apply)"
    )
  }

  static func untaughtField(
    _ name: String,
    of type: String,
    in container: String
  ) -> ItemError {
    ItemError(
      .invalidArguments,
      "record type '\(type)' has no field '\(name)', and only developers' saves add fields: let a user "
        + "with the role 'developer' or '\(container)/developer' save such a record or declare the field "
        + "(rpcctl schema apply)"
    )
  }

  static func unknownField(_ name: String, of type: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "Cannot create or modify field '\(name)' in record '\(type)' in production schema: save such "
        + "a record in development, or declare the field there, then deploy the schema (rpcctl "
        + "schema deploy)"
    )
  }

  static func wrongType(
    _ kind: FieldValue.Kind,
    of field: String,
    in type: String,
    expected: FieldValue.Kind
  ) -> ItemError {
    ItemError(
      .invalidArguments,
      "field '\(field)' of record type '\(type)' is \(expected.rawValue) and cannot hold "
        + "\(kind.rawValue): send \(expected.rawValue), or use another field"
    )
  }

  static func plainInEncrypted(
    _ field: String,
    of type: String,
    _ declared: Schema.Field
  ) -> ItemError {
    ItemError(
      .invalidArguments,
      "field '\(field)' of record type '\(type)' is \(declared.text), and the value is not "
        + "encrypted: it is not stored in the clear; seal it with a key ring before it is saved, "
        + "leave it out, or use another field"
    )
  }

  static func notEncrypted(
    _ field: String,
    of type: String,
    _ kind: FieldValue.Kind
  ) -> ItemError {
    ItemError(
      .invalidArguments,
      "field '\(field)' of record type '\(type)' is not encrypted and cannot hold "
        + "\(kind.rawValue): a field cannot become encrypted; use another field, or send the value "
        + "in the clear"
    )
  }

  static func encryptedList(_ field: String, of type: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "field '\(field)' of record type '\(type)' is a list of encrypted values, which cannot be "
        + "saved: encode the list into one ENCRYPTED BYTES field"
    )
  }

  static func encryptedInPublic(_ field: String, of type: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "field '\(field)' of record type '\(type)' has an encrypted value, and the public database "
        + "takes none: save the record in a private database, or leave the field out"
    )
  }

  static func tooManyTypes(_ name: String, max: Int) -> ItemError {
    ItemError(
      .limitExceeded,
      "record type '\(name)' would be one too many: a container may have \(max); use one of them, or "
        + "remove some from the schema (rpcctl schema apply)"
    )
  }

  static func tooManyFields(_ name: String, of type: String, max: Int) -> ItemError {
    ItemError(
      .limitExceeded,
      "field '\(name)' of record type '\(type)' would be one too many: a record type may have "
        + "\(max); use a list, or a record for each value"
    )
  }

  static func schemaTooLarge(_ what: String, max: Int) -> ItemError {
    ItemError(
      .limitExceeded,
      "\(what) makes the schema too large: its text may have \(max) bytes; use fewer or shorter "
        + "names, or remove types from the schema (rpcctl schema apply)"
    )
  }
}
