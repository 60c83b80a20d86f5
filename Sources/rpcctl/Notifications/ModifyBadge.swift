internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let modifyBadge = Verb(
    command: Command(
      "notifications set-badge",
      aliases: ["modify-badge"],
      "Set the user's badge number.",
      operands: "N",
      discussion: """
        Later notifications that increment the badge add to it until they are marked read. To show the
        number, use `fetch-notification-changes --badge`.

        Example:
          rpcctl notifications set-badge 0
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1, let number = UInt32(operands[0]) else {
        throw UsageError("expected one integer, 0 or greater")
      }
      let request = TidingsV1.ModifyBadgeRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment,
        badgeValue: number
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .modifyBadge(request, options: invocation.callOptions)
      if invocation.output.format == .table {
        invocation.output.write(text: "the badge is \(response.badgeValue)\n")
      } else {
        invocation.output.write(.object(["badgeValue": .integer(response.badgeValue)]))
      }
      return .success
    }
  )
}
