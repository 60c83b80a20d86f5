internal import Glibc
internal import ProtoGen

exit(runPlugin { PythonGenerator.respond(to: $0) })
