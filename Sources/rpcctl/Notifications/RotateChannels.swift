internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let rotateChannels = Verb(
    command: Command(
      "notifications rotate-channels",
      aliases: ["rotate-channels"],
      "Gives the user's pushes new topics and keys: for a device that was lost.",
      discussion: """
        The user's other devices register again by themselves. What was published before can still be
        read by the lost device, what comes later cannot.

        Example:
          rpcctl notifications rotate-channels
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let request = TidingsV1.RotateChannelsRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .rotateChannels(request, options: invocation.callOptions)
      if invocation.output.format == .table {
        invocation.output.write(
          text: "new topics and keys: \(counted(Int(response.channelCount), "channel"))\n"
        )
      } else {
        invocation.output.write(.object(["channelCount": .integer(response.channelCount)]))
      }
      return .success
    }
  )
}
