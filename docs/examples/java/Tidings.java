import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.zeromq.ZMQ;
import tidings.rpc.v1.RequestHeader;
import tidings.rpc.v1.ResponseHeader;
import tidings.v1.FetchNotificationChangesRequest;
import tidings.v1.FetchNotificationChangesResponse;
import tidings.v1.RegisterDeviceRequest;
import tidings.v1.RegisterDeviceResponse;

/** A connection to a server in development mode, for one thread. */
final class Tidings implements AutoCloseable {
  /** A failed call with its gRPC status; status 0 if only an item failed. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1;
    final int status;

    Failure(int status, String message) {
      super(status == 0 ? message : message + " (status " + status + ")");
      this.status = status;
    }

    /** Whether the call may be retried after a delay. */
    boolean isTransient() {
      return status == DEADLINE_EXCEEDED || status == 8 || status == UNAVAILABLE;
    }
  }

  /** Processes pages of the log. */
  interface PageReader {
    /** Processes the notifications, then stores `changeToken`, where the next `follow` resumes. */
    void read(FetchNotificationChangesResponse page) throws Exception;
  }

  private static final int DEADLINE_EXCEEDED = 4, INTERNAL = 13, UNAVAILABLE = 14;
  private static final int CALL_MILLISECONDS = 30_000, RECONCILE_MILLISECONDS = 60_000;

  private final ZMQ.Context context = ZMQ.context(1);
  private final Map<String, String> caller = new HashMap<>();
  private final String endpoint;
  private ZMQ.Socket calls;
  // The monitor of the connection. It must stay open and be read as long as the socket is open:
  // libzmq's thread blocks while there is no room for an event.
  private ZMQ.Socket callEvents;
  private ZMQ.Socket pushes, pushEvents;
  private long callID, connectionCount;

  Tidings(String endpoint, String user, String device) throws Failure {
    this.endpoint = endpoint;
    if (user != null) caller.put("tidings-user", user);
    if (device != null) caller.put("tidings-device", device);
    try {
      connect();
    } catch (Failure failure) {
      close();
      throw failure;
    }
  }

  private void connect() throws Failure {
    calls = context.socket(ZMQ.DEALER);
    calls.setLinger(0);
    calls.setSendTimeOut(CALL_MILLISECONDS);
    callEvents = monitor(calls, "inproc://calls" + ++connectionCount);
    calls.connect(endpoint);
    int event = 0;
    while (event != ZMQ.EVENT_CONNECTED) {
      event = ZMQ.Event.recv(callEvents).getEvent();
      if (event == ZMQ.EVENT_CLOSED || event == ZMQ.EVENT_CONNECT_RETRIED) {
        closeCalls();
        throw new Failure(UNAVAILABLE, "cannot reach " + endpoint + ": connection refused");
      }
    }
  }

  private ZMQ.Socket monitor(ZMQ.Socket socket, String name) {
    socket.monitor(name, ZMQ.EVENT_CONNECTED | ZMQ.EVENT_CLOSED | ZMQ.EVENT_CONNECT_RETRIED);
    ZMQ.Socket events = context.socket(ZMQ.PAIR);
    events.connect(name);
    return events;
  }

  /** Discards all pending events; returns whether there were any. */
  private static boolean drain(ZMQ.Socket events) {
    boolean isFirst = true;
    while (ZMQ.Event.recv(events, ZMQ.DONTWAIT) != null) isFirst = false;
    return !isFirst;
  }

  private void closeCalls() {
    if (calls == null) return;
    calls.close();
    callEvents.close();
    calls = callEvents = null;
  }

  /** Without a response the socket is closed as well: it would send what it has queued later. */
  private Failure timedOut(String what) {
    closeCalls();
    return new Failure(DEADLINE_EXCEEDED, what + " " + endpoint + ": timed out");
  }

  @Override
  public void close() {
    closeCalls();
    if (pushes != null) pushes.close();
    if (pushEvents != null) pushEvents.close();
    context.term();
  }

  /** Calls a method, `package.Service/Method`. */
  <A extends Message> A call(String method, Message request, Parser<A> parser) throws Failure {
    RequestHeader header = RequestHeader.newBuilder().setCallId(++callID).setMethod(method)
        .setTimeoutMs(CALL_MILLISECONDS).putAllMetadata(caller).build();
    long deadline = System.nanoTime() + CALL_MILLISECONDS * 1_000_000L;
    if (calls == null) connect();
    drain(callEvents);
    if (!calls.send(header.toByteArray(), ZMQ.SNDMORE) || !calls.send(request.toByteArray(), 0)) {
      throw timedOut("cannot reach");
    }
    try {
      while (true) {
        calls.setReceiveTimeOut((int) Math.max(0, (deadline - System.nanoTime()) / 1_000_000));
        byte[] frame = calls.recv(0);
        if (frame == null) throw timedOut("no response from");
        byte[] body = calls.recv(0);
        ResponseHeader response = ResponseHeader.parseFrom(frame);
        // Responses to earlier calls that timed out are ignored.
        if (response.getCallId() != callID) continue;
        if (response.getStatus() != 0) {
          throw new Failure(response.getStatus(), response.getMessage());
        }
        return parser.parseFrom(body);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new Failure(INTERNAL, "cannot decode the answer to " + method + ": " + e.getMessage());
    }
  }

  /**
   * Reads the log after a token, and again whenever it may have grown, until a call fails.
   *
   * Pushes are hints only: their content is sealed, and the log contains it as well.
   */
  void follow(byte[] token, PageReader reader) throws Exception {
    RegisterDeviceResponse home = register();
    if (pushes == null) openPushes(home.getPushEndpoint());
    ZMQ.Poller poller = new ZMQ.Poller(2);
    poller.register(pushes, ZMQ.Poller.POLLIN);
    poller.register(pushEvents, ZMQ.Poller.POLLIN);
    for (boolean mustRegister = false;; mustRegister = waitForHint(poller, home)) {
      if (mustRegister) home = register();
      // Subscribing to a topic twice has no effect.
      pushes.subscribe(home.getControlTopic().toByteArray());
      home.getChannelsList().forEach(channel -> pushes.subscribe(channel.getTopic().toByteArray()));
      token = readLog(token, reader);
    }
  }

  private void openPushes(String endpoint) {
    pushes = context.socket(ZMQ.SUB);
    pushes.setLinger(0);
    pushEvents = monitor(pushes, "inproc://pushes");
    pushes.connect(endpoint);
  }

  /** Waits until the log may have grown; returns whether the channels may have changed. */
  private boolean waitForHint(ZMQ.Poller poller, RegisterDeviceResponse home) {
    // Reconciles periodically, in case a push was lost.
    if (poller.poll(RECONCILE_MILLISECONDS) <= 0) return true;
    boolean mustRegister = drain(pushEvents);
    while (poller.pollin(0)) {
      byte[] topic = pushes.recv(ZMQ.DONTWAIT);
      if (topic == null) break;
      while (pushes.hasReceiveMore()) pushes.recv(ZMQ.DONTWAIT);
      mustRegister |= Arrays.equals(topic, home.getControlTopic().toByteArray());
    }
    return mustRegister;
  }

  private RegisterDeviceResponse register() throws Failure {
    return call("tidings.v1.NotificationService/RegisterDevice",
        RegisterDeviceRequest.getDefaultInstance(), RegisterDeviceResponse.parser());
  }

  private byte[] readLog(byte[] token, PageReader reader) throws Exception {
    FetchNotificationChangesResponse page;
    do {
      page = call("tidings.v1.NotificationService/FetchNotificationChanges",
          FetchNotificationChangesRequest.newBuilder()
              .setChangeToken(com.google.protobuf.ByteString.copyFrom(token))
              .setOmitsReadNotifications(true).build(),
          FetchNotificationChangesResponse.parser());
      reader.read(page);
      token = page.getChangeToken().toByteArray();
    } while (page.getMoreComing());
    return token;
  }
}
