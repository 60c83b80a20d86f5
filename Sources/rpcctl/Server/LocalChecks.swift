internal import Glibc
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsKeys

/// Checks of the local configuration: contexts, key files, limits of the process.
enum LocalChecks {
  /// File descriptors that a client with several connections and files needs.
  private static let descriptorsMin: UInt = 256

  static func all(_ invocation: Invocation) -> [Diagnosis] {
    contexts(ContextFolder(invocation.program.environment))
      + [keys(invocation), keyRing(ringPath(invocation))].compactMap(\.self)
      + [descriptors()]
  }

  /// Checks that the contexts and their key files can be read.
  static func contexts(_ folder: ContextFolder) -> [Diagnosis] {
    let names: [String]
    do {
      names = try folder.names
    } catch {
      return [.problem("contexts", "\(error)", "Give this user read permission for the folder.")]
    }
    var found: [Diagnosis] = []
    for name in names {
      do {
        let context = try folder.read(name)
        for option in ["key-file", "server-key"] {
          let path = context[option]
          guard !path.isEmpty, PublicKey(z85: path) == nil else { continue }
          _ = try KeyFile(path: path)
        }
      } catch {
        found.append(
          .warning(
            "contexts",
            "\(name): \(error)",
            "Fix it with `rpcctl context edit \(name)`, or remove it with `rpcctl context remove \(name)`."
          )
        )
      }
    }
    if !found.isEmpty { return found }
    let current = (try? folder.selection.current).flatMap { $0 }
    return [
      .ok(
        "contexts",
        names.isEmpty
          ? "none" : counted(names.count, "context") + (current.map { ", current: \($0)" } ?? "")
      )
    ]
  }

  /// Checks that the client's keys exist, belong together, and are readable by their owner only.
  private static func keys(_ invocation: Invocation) -> Diagnosis {
    if let refusal = invocation.settings.refusal {
      return .problem(
        "keys",
        "\(refusal)",
        "See `rpcctl keys generate --help` and docs/security.md."
      )
    }
    guard let keys = invocation.settings.client.keys else {
      return .ok("keys", "none: works only with a server in development mode")
    }
    return .ok(
      "keys",
      "the key file is readable by its owner only; public key \(keys.pair.publicKey)"
    )
  }

  /// Returns the given key ring, or the default one if it exists.
  private static func ringPath(_ invocation: Invocation) -> String? {
    if let path = invocation.settings.keyRingPath { return path }
    return DefaultKeyRing.path(invocation.program.environment)
      .flatMap { Folder.isFile($0) ? $0 : nil }
  }

  private static func keyRing(_ path: String?) -> Diagnosis? {
    guard let path else { return nil }
    do {
      let ring = try KeyRingFile(path: path).read()
      return .ok("key ring", counted(ring.entries.count, "key"))
    } catch {
      return .problem("key ring", "\(error)", "Set --key-ring to a valid key ring.")
    }
  }

  private static func descriptors() -> Diagnosis {
    var limit = rlimit()
    guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return .skipped("descriptors", "cannot read the limit")
    }
    let count = UInt(limit.rlim_cur)
    return count >= descriptorsMin
      ? .ok("descriptors", "this process may open \(count) files and sockets")
      : .warning(
        "descriptors",
        "this process may open only \(count) files and sockets",
        "Raise it with `ulimit -n 1024`."
      )
  }
}
