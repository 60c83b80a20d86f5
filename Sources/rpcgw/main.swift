import CommandLineTools
import Glibc
import TidingsGateway
import TidingsHTTP
import TidingsLogging

/// Sockets to the server, uploads and what libraries open.
let descriptorsBesideConnections = 200

umask(0o077)
signal(SIGPIPE, SIG_IGN)

do {
  if ProgramArguments.own.first == ManualPage.word {
    print(GatewayManual.page.text, terminator: "")
    endProcess(0)
  }
  guard var settings = try GatewayArguments.settings(ProgramArguments.own) else { endProcess(0) }
  let need = settings.http.connectionsMax + descriptorsBesideConnections
  if let limit = DescriptorLimit.raise(), limit < need {
    let room = max(1, limit - descriptorsBesideConnections)
    settings.logger.log(
      .warning,
      "the process may have \(limit) files open, and \(settings.http.connectionsMax) connections need \(need), so it takes "
        + "\(room): raise the limit with ulimit -n, or LimitNOFILE of the service, or lower --connections-max"
    )
    settings.http.connectionsMax = room
  }
  let stopSignals = StopSignals()
  let gateway = try await Gateway.start(settings)
  let scheme = settings.http.tls == nil ? "http" : "https"
  let address = HTTPAddress(host: settings.http.address.host, port: gateway.port)
  let operatorText = gateway.operatorAddress.map { " operator=http://\($0)" } ?? ""
  print("rpcgw ready \(scheme)://\(address)\(operatorText)")
  fflush(nil)
  if settings.keys == nil {
    settings.logger.log(
      .warning,
      "development mode: every ckWebAuthToken of the form dev:USER is taken"
    )
  }
  _ = await stopSignals.next()
  await gateway.stop()
  endProcess(0)
} catch let error as UsageError {
  complain("rpcgw: \(error)\nTry 'rpcgw --help'.")
  endProcess(2)
} catch {
  complain("rpcgw: \(error)")
  endProcess(1)
}

func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
