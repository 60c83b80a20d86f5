internal import CommandLineTools
internal import TidingsFiles
internal import TidingsKeys
internal import TidingsRPC

/// The first key of a new user: one that is named, a pair that is made for it, or none.
struct NewUserKey: Sendable {
  let key: PublicKey?
  /// A pair to be written, and where.
  private let file: (path: String, pair: KeyPair)?
  private let title: String
  private let output: Output

  init(_ invocation: Invocation, user: String) throws {
    let arguments = invocation.arguments
    (title, output) = ("\(user), made by rpcctl", invocation.output)
    let named = arguments[Verb.publicKeyOption]
    guard let path = try arguments.nonEmpty(Verb.generateKeyOption) else {
      let option = [Verb.keyLabel, Verb.keyExpiry].first { arguments[$0] != nil }
      if named == nil, let option {
        throw UsageError(
          "\(option.spelling) describes a key: name one with --public-key, or make one with --generate-key"
        )
      }
      (key, file) = (try named.map(PublicKey.init(operand:)), nil)
      return
    }
    guard named == nil else {
      throw UsageError("--public-key and --generate-key cannot be combined")
    }
    let pair = KeyPair()
    key = pair.publicKey
    let isWritten = !invocation.wouldOnly("write a key pair to '\(path)'")
    file = isWritten ? (path, pair) : nil
  }

  /// Makes a call that admits the key, with the pair on disk before; a call that fails leaves no file.
  ///
  /// A call whose outcome is not known leaves it: the server may know the key.
  func withFile<Response: Sendable>(
    _ call: () async throws -> Response
  ) async throws -> Response {
    guard let file else { return try await call() }
    try KeyFile.pair(file.pair).write(to: file.path, title: title)
    do {
      return try await call()
    } catch {
      if let error = error as? RPCError, !error.mayHaveBeenApplied {
        try Folder.remove(file.path)
      } else {
        output.tellAlways(
          "rpcctl: the user may have been created: '\(file.path)' has the key pair; `rpcctl users show` "
            + "shows whether it is authorized"
        )
      }
      throw error
    }
  }
}

extension RPCError {
  /// The server may have done what the call asked for.
  fileprivate var mayHaveBeenApplied: Bool {
    switch code {
    case .deadlineExceeded, .cancelled, .unknown, .internal: true
    case .unavailable: details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN"))
    default: false
    }
  }
}
