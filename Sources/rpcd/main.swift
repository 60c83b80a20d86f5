import CommandLineTools
import Glibc
import TidingsJSON
import TidingsLogging
import TidingsService

ProcessMemory.limitFreeMemory()
// What is written is nobody else's to read.
umask(0o077)
// A reader that went away must not end the server.
signal(SIGPIPE, SIG_IGN)

/// The commands beside the server, by their first word.
let commands: [String: (command: Command, run: (ArraySlice<String>) throws -> Void)] = [
  InitArguments.word: (InitArguments.command, InitArguments.run),
  RestoreArguments.word: (RestoreArguments.command, RestoreArguments.run),
  RotateSecretArguments.word: (RotateSecretArguments.command, RotateSecretArguments.run),
  CompactArguments.word: (CompactArguments.command, CompactArguments.run),
  CopyStoreArguments.word: (CopyStoreArguments.command, CopyStoreArguments.run),
  RestoredArguments.word: (RestoredArguments.command, RestoredArguments.run),
  AcceptLossArguments.word: (AcceptLossArguments.command, AcceptLossArguments.run),
]
let command = ProgramArguments.own.first.flatMap { commands[$0] }

do {
  if let command {
    try command.run(ProgramArguments.own.dropFirst())
    endProcess(0)
  }
  if ProgramArguments.own.first == ManualPage.word {
    print(ServerManual.page.text, terminator: "")
    endProcess(0)
  }
  guard var settings = try ServerArguments.settings(ProgramArguments.own) else {
    endProcess(0)
  }
  let logger = Logger(level: settings.logLevel, format: settings.logFormat)
  settings.readTraces { logger.log(.warning, $0) }
  let supervision = Supervision(logger)
  let stopSignals = StopSignals()
  if let limit = DescriptorLimit.raise(), limit < DescriptorNeed.count {
    throw StartError(
      "the process may have \(limit) files open and needs \(DescriptorNeed.count): raise the limit with ulimit -n, or "
        + "LimitNOFILE of the service"
    )
  }
  supervision.starting(settings)
  let server = try await TidingsServer.start(settings)
  let operatorText = server.operatorAddress.map { " operator=http://\($0)" } ?? ""
  print("rpcd ready rpc=\(server.rpcEndpoint) push=\(server.pushEndpoint)\(operatorText)")
  // Whoever started this waits for the line, and standard output may be a pipe.
  fflush(nil)
  supervision.ready(server)
  if server.publicKey == nil {
    logger.log(
      .warning,
      "development mode: authentication is off; only this machine can connect"
        + (settings.isDevelopment ? ", and every local user is an administrator" : "")
    )
  }
  if settings.advertisedPushEndpoint == nil, !ServerArguments.isReachable(server.pushEndpoint) {
    logger.log(
      .warning,
      "clients get the push endpoint \(server.pushEndpoint), which is their own machine for each of them: name the "
        + "endpoint that they reach with --advertise-push"
    )
  }
  if !settings.sealsPushes {
    logger.log(
      .warning,
      "pushes are not sealed: whoever connects to the push endpoint can read all notifications"
    )
  }
  Task {
    if await server.drained() { stopSignals.stop(because: "drained by an administrator") }
  }
  Task {
    await server.ended()
    stopSignals.give(up: "the server's loop ended by itself")
  }
  switch await stopSignals.next() {
  case .signal(let name):
    logger.log(.info, "stopping", ["signal": name])
    supervision.stopping()
    await server.stop()
    endProcess(0)
  case .failure(let reason):
    complain("rpcd: \(reason)\n")
    endProcess(1)
  }
} catch let error as UsageError {
  complain("rpcd: \(error)\nTry '\(command?.command.name ?? "rpcd") --help'.\n")
  endProcess(2)
} catch {
  complain("rpcd: \(error)\n")
  endProcess(1)
}

func complain(_ text: String) { show(text.terminalText(keepsLines: true)) }

/// Writes to standard error, with what commands a terminal.
func show(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
