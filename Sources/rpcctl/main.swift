import CommandLineTools

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

let run = Task { await Program(Array(ProgramArguments.own)).run() }
let interruption = Interruption { run.cancel() }
let status = await run.value
endProcess(status.rawValue)
