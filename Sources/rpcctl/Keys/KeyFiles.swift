internal import CommandLineTools
internal import TidingsJSON
internal import TidingsKeys

extension Verb {
  /// What is done with key files, without a server.
  static let keyFileVerbs = [generateKey, showKey]

  private static let file = OptionKey<String?>(
    "file",
    letter: "O",
    value: "FILE",
    "Where to; nothing is overwritten."
  )
  private static let title = OptionKey<String?>(
    "title",
    value: "TEXT",
    "What the key is for, as a comment in the file."
  )

  private static let generateKey = Verb(
    command: Command(
      "keys generate",
      "Makes a key pair in a file; prints its public part, for an administrator to authorize.",
      options: [Option](of: file, title),
      discussion: """
        Needs no server. The file is its owner's alone, and the secret part never leaves it.

        Example:
          rpcctl keys generate -O ~/alice.key --title "alice, laptop"
        """
    ),
    needsServer: false,
    dryRun: .byItself,
    run: { invocation in
      try invocation.refuseOperands()
      guard let path = invocation.arguments[file], !path.isEmpty else {
        throw UsageError("-O FILE says where the key pair is written")
      }
      if invocation.wouldOnly("write a key pair to '\(path)'") { return .success }
      let pair = KeyPair()
      try KeyFile.pair(pair).write(
        to: path,
        title: invocation.arguments[title] ?? "made by rpcctl"
      )
      show(pair.publicKey, invocation.output)
      return .success
    }
  )

  private static let showKey = Verb(
    command: Command(
      "keys show",
      aliases: ["keys public"],
      "Prints the public part of a key file.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Needs no server.

        Example:
          rpcctl keys show ~/alice.key
        """
    ),
    needsServer: false,
    run: { invocation in
      let paths = try invocation.requireOperands("key file")
      guard paths.count == 1 else { throw UsageError("'\(paths[1])' is not expected here") }
      guard AtomicFile.exists(paths[0]) else {
        throw NotFound("there is no key file '\(paths[0])'")
      }
      show(try KeyFile(path: paths[0]).publicKey, invocation.output)
      return .success
    }
  )

  private static func show(_ key: PublicKey, _ output: Output) {
    if output.format == .table {
      output.write(text: "\(key)\n")
    } else {
      output.write(.object(["publicKey": .string("\(key)")]))
    }
  }
}
