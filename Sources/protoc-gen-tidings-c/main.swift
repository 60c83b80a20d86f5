internal import Glibc
internal import ProtoGen

exit(runPlugin { CFilter.respond(to: $0) })
