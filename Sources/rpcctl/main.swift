import CommandLineTools
import Glibc

let run = Task { await Program(Array(ProgramArguments.own)).run() }
let interruption = Interruption { run.cancel() }
let status = await run.value
endProcess(status.rawValue)
