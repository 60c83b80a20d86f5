internal import CommandLineTools
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsJSON

extension Verb {
  static let keyRingVerbs = [createKeyRing, addToKeyRing, listKeyRing]

  private static let columns = ["KEY", "USE"]

  private static let createKeyRing = Verb(
    command: Command(
      "keys ring create",
      "Create a key ring: a file with a key for encrypted fields.",
      operands: "FILE",
      discussion: """
        Encrypted fields can be read only with this file, not even by the server's operator: keep a copy
        in a secure location. Existing files are not overwritten.

        Example:
          rpcctl keys ring create ada.ring
          rpcctl --as ada --key-ring ada.ring modify-records --save '{"recordType":"Locks",
            "recordName":"d1","fields":{"pin":{"encrypted":"1234"}}}'
        """
    ),
    needsServer: false,
    dryRun: .byItself,
    run: { invocation in
      let ring = KeyRing([.init(EncryptionKey(), .seal)])
      let file = try keyRingFile(invocation)
      if invocation.previews("write a key ring with one key") { return .success }
      try keyRingFailure { () throws(KeyRingError) in try file.create(ring) }
      return print(ring.entries, sealing: ring, invocation.output)
    }
  )

  private static let from = OptionKey<String?>(
    "from",
    value: "RING",
    "Add the keys of this ring instead, for decryption only."
  )

  private static let addToKeyRing = Verb(
    command: Command(
      "keys ring add",
      "Add a new key to a key ring, or the keys of another ring.",
      operands: "FILE",
      options: [Option](of: from),
      discussion: """
        Without --from, the new key encrypts from now on, and the older ones still decrypt. With it, the
        ring also decrypts what others encrypted, for example in a zone that they share.

        Examples:
          rpcctl keys ring add ada.ring
          rpcctl keys ring add ada.ring --from from-bob.ring
        """
    ),
    needsServer: false,
    dryRun: .byItself,
    run: { invocation in
      let file = try keyRingFile(invocation)
      var entries = [KeyRing.Entry(EncryptionKey(), .seal)]
      if let path = invocation.arguments[from] {
        entries = try keyRingFailure { () throws(KeyRingError) in
          try KeyRingFile(path: path).read().entries.map { .init($0.key, .open) }
        }
      }
      if invocation.previews("add \(counted(entries.count, "key")) that the ring does not have") {
        return .success
      }
      let (added, ring) = try keyRingFailure { () throws(KeyRingError) in
        (try file.add(entries), try file.read())
      }
      if added.isEmpty { invocation.output.log("the ring has all these keys already") }
      return print(added, sealing: ring, invocation.output)
    }
  )

  private static let listKeyRing = Verb(
    command: Command(
      "keys ring list",
      "List the names of the keys of a key ring, oldest first.",
      operands: "FILE",
      discussion: """
        The keys themselves are not shown.

        Example:
          rpcctl keys ring list ada.ring
        """
    ),
    needsServer: false,
    run: { invocation in
      let file = try keyRingFile(invocation)
      let ring = try keyRingFailure { () throws(KeyRingError) in try file.read() }
      return print(ring.entries, sealing: ring, invocation.output)
    }
  )

  private static func keyRingFile(_ invocation: Invocation) throws(UsageError) -> KeyRingFile {
    let operands = invocation.arguments.operands
    guard operands.count == 1, !operands[0].isEmpty else {
      throw UsageError("expected one FILE: the key ring")
    }
    return KeyRingFile(path: operands[0])
  }

  private static func keyRingFailure<Value>(
    _ body: () throws(KeyRingError) -> Value
  ) throws(LocalFailure) -> Value {
    do {
      return try body()
    } catch {
      throw LocalFailure("\(error)")
    }
  }

  private static func print(
    _ entries: [KeyRing.Entry],
    sealing ring: KeyRing,
    _ output: Output
  ) -> ExitCode {
    var results = Results(columns: columns)
    for entry in entries {
      let id = entry.key.id.hexadecimal
      let seals = entry.key == ring.sealingKey
      results.append(
        .object([
          "keyId": .string(id), "use": .string(entry.use.rawValue), "seals": .bool(seals),
        ]),
        [id, seals ? "seals" : "opens"]
      )
    }
    return results.finish(output)
  }
}
