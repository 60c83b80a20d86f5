internal import CommandLineTools

extension Settings {
  /// What every verb takes.
  static let options = connectionOptions + outputOptions + policyOptions

  /// Which server is called, as whom, and where.
  private static let connectionOptions = [
    Option(
      "context",
      letter: "c",
      value: "NAME",
      completion: .live("contexts"),
      "Takes what is not said from this context: see context add."
    ),
    Option(flag: "no-context", "Uses no context, not even the current one."),
    Option(
      "endpoint",
      value: "ENDPOINT",
      default: "tcp://127.0.0.1:5570",
      "The server's RPC endpoint."
    ),
    Option("container", value: "NAME", default: "default", "The container."),
    Option(
      "environment",
      value: "NAME",
      default: "development",
      choices: ["development", "production"],
      "The environment: development or production."
    ),
    Option(
      "database",
      letter: "D",
      value: "SCOPE",
      default: "private",
      choices: ["public", "private", "shared"],
      "The database: public, private, or shared: what others share with the user."
    ),
    Option(
      "owner",
      value: "USER",
      "In the shared database: whose zone is meant. Without it zones are written OWNER/ZONE."
    ),
    Option(
      "key-file",
      value: "FILE",
      completion: .files,
      "The key pair to connect with; `rpcctl keys generate` makes one."
    ),
    Option(
      "server-key",
      value: "KEY|FILE",
      completion: .files,
      "The server's public key, or a file with it: server.pub in its data folder."
    ),
    Option(
      "as",
      value: "USER",
      completion: .live("users"),
      "The user that calls (development mode)."
    ),
    Option(
      "device",
      value: "DEVICE",
      "The device that calls; it hears nothing of its own changes."
    ),
    Option(
      "key-ring",
      value: "FILE",
      completion: .files,
      "The keys of encrypted fields: see keys ring create."
    ),
    Option("timeout", value: "TIME", default: "10s", "How long a call may take: 500ms, 10s, 2m."),
    Option(
      "connect-timeout",
      value: "TIME",
      default: "3s",
      "How long to wait for a connection."
    ),
    Option("retries", value: "N", "How often a safe call is sent again; without it 4 times."),
    Option(
      "idempotency-key",
      value: "KEY",
      "Applies the changes once, however often the command is repeated."
    ),
  ]

  /// How results and messages look.
  private static let outputOptions = [
    Option(
      "output",
      letter: "o",
      value: "FORMAT",
      choices: ResultNotation.names,
      "How results are printed: \(ResultNotation.names.joined(separator: ", ")). Without it a table "
        + "on a terminal, else jsonl."
    ),
    Option(
      "fields",
      value: "A,B.C",
      "Prints these members of results only, in this order."
    ),
    Option(
      "color",
      value: "WHEN",
      default: "auto",
      choices: ["auto", "always", "never"],
      "Colours: auto, always, never."
    ),
    Option(flag: "no-progress", "Does not show how far long work has come."),
    Option(flag: "quiet", letter: "q", "Tells errors only, besides the results."),
    Option(flag: "verbose", letter: "v", "Tells what is called, how often and how long it took."),
    Option(flag: "trace", "Tells the frames of calls with their headers, without secrets."),
  ]

  /// What is done, and whether somebody is asked.
  private static let policyOptions = [
    Option(flag: "dry-run", "Changes nothing; tells what would be done."),
    Option(flag: "yes", letter: "y", "Does not ask whether something is to be destroyed."),
    Option(flag: "no-input", "Never asks anything."),
    Option(flag: "help", letter: "h", "Show help."),
    Option(flag: "version", "Show the version."),
    Option(flag: "map", "Show all verbs as a tree."),
  ]
}
