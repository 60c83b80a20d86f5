internal import Glibc
internal import ProtoGen

exit(runPlugin { SwiftGenerator.respond(to: $0) })
