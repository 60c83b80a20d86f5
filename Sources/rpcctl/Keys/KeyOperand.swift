internal import TidingsKeys

extension PublicKey {
  /// The key that a word of the command line is, or that is in the file of this name.
  ///
  /// - Throws: `NotFound` when it is neither; why the file cannot be used.
  init(operand text: String) throws {
    if let key = PublicKey(z85: text) {
      self = key
    } else if AtomicFile.exists(text) {
      self = try KeyFile(path: text).publicKey
    } else {
      throw NotFound(
        "'\(text)' is neither a public key nor a key file: a key has 40 characters, as `rpcctl keys "
          + "show FILE` prints it; quote it"
      )
    }
  }
}
