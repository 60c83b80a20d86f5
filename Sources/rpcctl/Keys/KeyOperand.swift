internal import TidingsKeys

extension PublicKey {
  /// Returns the key that a word is, or that is in the file of this name.
  ///
  /// - Throws: `NotFound` if it is neither, or the error of reading the file.
  init(operand text: String) throws {
    if let key = PublicKey(z85: text) {
      self = key
    } else if AtomicFile.exists(text) {
      self = try KeyFile(path: text).publicKey
    } else {
      throw NotFound(
        "'\(text)' is neither a public key nor a key file: use a quoted key of 40 characters, as `rpcctl keys "
          + "show FILE` prints it"
      )
    }
  }
}
