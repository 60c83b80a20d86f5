#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// What is printed is written at once, so that an interruption loses nothing.
signal(SIGINT) { _ in _exit(ExitCode.interrupted.rawValue) }
let status = await Program(Array(CommandLine.arguments.dropFirst())).run()
exit(status.rawValue)
