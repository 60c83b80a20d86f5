internal import CommandLineTools

/// The general options, which every verb takes.
extension Settings {
  static let options = connectionOptions + outputOptions + policyOptions

  /// The server, the caller and the database.
  private static let connectionOptions = [Option](
    of: .context,
    .noContext,
    .endpoint,
    .container,
    .environment,
    .database,
    .owner,
    .keyFile,
    .serverKey,
    .user,
    .device,
    .keyRing,
    .timeout,
    .connectTimeout,
    .retries,
    .idempotencyKey
  )

  /// The format of results and messages.
  private static let outputOptions = [Option](
    of: .output,
    .fields,
    .color,
    .noProgress,
    .quiet,
    .verbose,
    .trace
  )

  /// Dry run and confirmation.
  private static let policyOptions = [Option](
    of: .dryRun,
    .yes,
    .noInput,
    .help,
    .version,
    .map
  )
}

extension OptionKey<Bool> {
  static var noContext: Self {
    Self(flag: "no-context", "Ignore the current context.")
  }
  static var noProgress: Self {
    Self(flag: "no-progress", "Do not show progress.")
  }
  static var quiet: Self {
    Self(flag: "quiet", letter: "q", "Print results and errors only.")
  }
  static var verbose: Self {
    Self(
      flag: "verbose",
      letter: "v",
      "Log each call with its attempts and its duration; with --version: show libraries too."
    )
  }
  static var trace: Self {
    Self(flag: "trace", "Log the frames of calls with their headers, without secrets.")
  }
  static var dryRun: Self {
    Self(flag: "dry-run", "Change nothing; print what would be done.")
  }
  static var yes: Self {
    Self(flag: "yes", letter: "y", "Confirm deletions without asking.")
  }
  static var noInput: Self {
    Self(flag: "no-input", "Never prompt.")
  }
  static var help: Self {
    Self(flag: "help", letter: "h", "Show help.")
  }
  static var version: Self {
    Self(flag: "version", "Show the version.")
  }
  static var map: Self {
    Self(flag: "map", "Show all verbs as a tree.")
  }
}

extension OptionKey<String> {
  static var endpoint: Self {
    Self(
      "endpoint",
      value: "ENDPOINT",
      default: "tcp://127.0.0.1:5570",
      "The server's RPC endpoint, or those of several nodes, with commas: the next one is used when one is lost."
    )
  }
  static var container: Self {
    Self("container", value: "NAME", default: "default", "The container.")
  }
  static var environment: Self {
    Self(
      "environment",
      value: "NAME",
      default: "development",
      choices: ["development", "production"],
      "The environment: development or production."
    )
  }
  static var database: Self {
    Self(
      "database",
      letter: "D",
      value: "SCOPE",
      default: "private",
      choices: ["public", "private", "shared"],
      "The database: public, private, or shared (zones and records that other users share with the caller)."
    )
  }
  static var color: Self {
    Self(
      "color",
      value: "WHEN",
      default: "auto",
      choices: ["auto", "always", "never"],
      "Use of colours: auto, always, never."
    )
  }
}

extension OptionKey<String?> {
  static var context: Self {
    Self(
      "context",
      letter: "c",
      value: "NAME",
      completion: .live("contexts"),
      "The context with the defaults of options: see context add."
    )
  }
  static var owner: Self {
    Self(
      "owner",
      value: "USER",
      "The owner of zones in the shared database. Without it, name zones as OWNER/ZONE."
    )
  }
  static var keyFile: Self {
    Self(
      "key-file",
      value: "FILE",
      completion: .files,
      "The client's key pair, from `rpcctl keys generate`."
    )
  }
  static var serverKey: Self {
    Self(
      "server-key",
      value: "KEY|FILE",
      completion: .files,
      "The server's public key, or its file: server.pub in the server's data folder."
    )
  }
  static var user: Self {
    Self(
      "as",
      value: "USER",
      completion: .live("users"),
      "The calling user (development mode)."
    )
  }
  static var device: Self {
    Self(
      "device",
      value: "DEVICE",
      "The calling device, which is not notified of its own changes."
    )
  }
  static var keyRing: Self {
    Self(
      "key-ring",
      value: "FILE",
      completion: .files,
      "The key ring for encrypted fields: see keys ring create."
    )
  }
  static var idempotencyKey: Self {
    Self(
      "idempotency-key",
      value: "KEY",
      "Apply the changes only once, even if the command is repeated with this key."
    )
  }
  static var output: Self {
    Self(
      "output",
      letter: "o",
      value: "FORMAT",
      choices: ResultNotation.names,
      "The output format: \(ResultNotation.names.joined(separator: ", ")). The default is table on a "
        + "terminal, jsonl otherwise."
    )
  }
  static var fields: Self {
    Self(
      "fields",
      value: "A,B.C",
      "Print only these members of each result, in this order."
    )
  }
  /// `--zone`, for verbs that work in one zone.
  static var zone: Self {
    Self(
      "zone",
      letter: "z",
      value: "ZONE",
      completion: .live("zones"),
      "The zone (default: the default zone)."
    )
  }
}

extension OptionKey<Duration> {
  static var timeout: Self {
    Self(
      time: "timeout",
      default: "10s",
      "The time limit of a call, once there is a connection: 500ms, 10s, 2m."
    )
  }
  static var connectTimeout: Self {
    Self(
      time: "connect-timeout",
      default: "10s",
      "How long a call waits for a connection before it fails."
    )
  }
}

extension OptionKey<Int?> {
  static var retries: Self {
    Self(
      "retries",
      value: "N",
      in: 0...100,
      "Most retries of an idempotent call (default: 4)."
    )
  }
}
