import CommandLineTools
import TidingsService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

setvbuf(stdout, nil, _IOLBF, 0)
// A reader that went away must not end the server.
signal(SIGPIPE, SIG_IGN)

do {
  guard let settings = try ServerArguments.settings(CommandLine.arguments.dropFirst()) else {
    exit(0)
  }
  let stopSignals = StopSignals()
  let server = try await TidingsServer.start(settings)
  print("rpcd ready rpc=\(server.rpcEndpoint) push=\(server.pushEndpoint)")
  let logger = Logger(level: settings.logLevel)
  logger.log(
    .warning,
    "development mode: callers are believed who they say they are; only this machine can connect")
  let name = await stopSignals.next()
  logger.log(.info, "stopping", ["signal": name])
  await server.stop()
} catch let error as UsageError {
  fputs("rpcd: \(error)\nTry 'rpcd --help'.\n", stderr)
  exit(2)
} catch {
  fputs("rpcd: \(error)\n", stderr)
  exit(1)
}
