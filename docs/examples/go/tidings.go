package main

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"
	rpc "tidings/rpc/v1"
	tidings "tidings/v1"
)

/*
#include <zmq.h>
*/
import "C"

// The gRPC status codes that this client returns or checks.
const (
	invalidArgument   = 3
	deadlineExceeded  = 4
	resourceExhausted = 8
	internal          = 13
	unavailable       = 14
	unauthenticated   = 16
)

const (
	callTime      = 30 * time.Second
	reconcileTime = time.Minute
)

// failure is a failed call with its gRPC status.
type failure struct {
	status  uint32
	message string
}

func (f *failure) Error() string { return fmt.Sprintf("%s (status %d)", f.message, f.status) }

// isTransient reports whether the call may be retried after a delay.
func (f *failure) isTransient() bool {
	return f.status == deadlineExceeded || f.status == resourceExhausted || f.status == unavailable
}

// client calls a server, for one goroutine at a time.
type client struct {
	endpoint string
	keys     keys
	metadata map[string]string
	calls    *socket // nil: there is no connection
	callID   uint64
}

func (c *client) fail(status uint32, format string, a ...any) error {
	return &failure{status, fmt.Sprintf(format, a...)}
}

// connect makes a socket, and waits until the server has taken its connection.
func (c *client) connect(deadline time.Time) (err error) {
	if c.calls, err = newSocket(C.ZMQ_DEALER, c.keys); err != nil {
		return err
	}
	if err = c.calls.connect(c.endpoint); err != nil {
		c.disconnect()
		return c.fail(invalidArgument, "%v", err)
	}
	for isAccepted := false; ; {
		switch c.calls.event() {
		case C.ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
			return nil
		case C.ZMQ_EVENT_CONNECTED:
			isAccepted = true
		case C.ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
			c.disconnect()
			return c.fail(unauthenticated, "cannot connect to %s: the server does not admit this key", c.endpoint)
		case C.ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, C.ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, C.ZMQ_EVENT_CONNECT_RETRIED:
			c.disconnect()
			if isAccepted {
				return c.fail(unavailable, "cannot connect to %s: check the keys", c.endpoint)
			}
			return c.fail(unavailable, "cannot reach %s: connection refused", c.endpoint)
		case 0:
			if !c.calls.wait(deadline) {
				c.disconnect()
				return c.fail(unavailable, "cannot reach %s: timed out", c.endpoint)
			}
		}
	}
}

// disconnect closes the socket, and drops what it has not sent.
func (c *client) disconnect() {
	if c.calls != nil {
		c.calls.close()
		c.calls = nil
	}
}

// call calls a method, package.Service/Method.
func (c *client) call(method string, request, response proto.Message) error {
	deadline := time.Now().Add(callTime)
	// A connection that was lost since is not used again: it would send this call whenever it is back.
	for c.calls != nil {
		event := c.calls.event()
		if event == C.ZMQ_EVENT_DISCONNECTED {
			c.disconnect()
		} else if event == 0 {
			break
		}
	}
	if c.calls == nil {
		if err := c.connect(deadline); err != nil {
			return err
		}
	}
	c.callID++
	header, err := proto.Marshal(&rpc.RequestHeader{CallId: c.callID, Method: method,
		TimeoutMs: uint32(time.Until(deadline).Milliseconds()), Metadata: c.metadata})
	if err != nil {
		return err
	}
	body, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	if !c.calls.send(header, body) {
		c.disconnect()
		return c.fail(unavailable, "cannot send to %s", c.endpoint)
	}
	for isLost := false; ; {
		frames := c.calls.receive()
		if len(frames) >= 2 {
			var came rpc.ResponseHeader
			// Responses to earlier calls that timed out are ignored.
			if proto.Unmarshal(frames[0], &came) != nil || came.CallId != c.callID {
				continue
			}
			if came.Status != 0 {
				return &failure{came.Status, came.Message}
			}
			if err := proto.Unmarshal(frames[1], response); err != nil {
				return c.fail(internal, "cannot decode the response to %s: %v", method, err)
			}
			return nil
		}
		if isLost {
			c.disconnect()
			return c.fail(unavailable, "no response from %s: connection closed", c.endpoint)
		}
		event := c.calls.event()
		// What arrived before the loss is received first.
		isLost = event == C.ZMQ_EVENT_DISCONNECTED
		if event == 0 && len(frames) == 0 && !c.calls.wait(deadline) {
			c.disconnect()
			return c.fail(deadlineExceeded, "no response from %s: timed out", c.endpoint)
		}
	}
}

// follow reads the log after a token, and again whenever it may have grown, until a call fails.
//
// read processes a page, and then stores its token, where the next follow resumes. Pushes are hints only: the log
// contains their content as well.
func (c *client) follow(token []byte, read func(*tidings.FetchNotificationChangesResponse) error) error {
	var pushes *socket
	for {
		var home tidings.RegisterDeviceResponse
		err := c.call("tidings.v1.NotificationService/RegisterDevice", &tidings.RegisterDeviceRequest{}, &home)
		if err != nil {
			return err
		}
		if pushes == nil {
			if pushes, err = newSocket(C.ZMQ_SUB, c.keys); err != nil {
				return err
			}
			defer pushes.close()
			if err = pushes.connect(home.PushEndpoint); err != nil {
				return err
			}
		}
		topics := [][]byte{home.ControlTopic}
		for _, channel := range home.Channels {
			topics = append(topics, channel.Topic)
		}
		for _, topic := range topics {
			if err = pushes.subscribe(topic); err != nil {
				return err
			}
		}
		for mustRegister := false; !mustRegister; mustRegister = waitForHint(pushes, home.ControlTopic) {
			if token, err = c.readLog(token, read); err != nil {
				return err
			}
		}
	}
}

// waitForHint waits until the log may have grown, and reports whether the channels may have changed.
func waitForHint(pushes *socket, controlTopic []byte) bool {
	// Looks without a hint now and then, in case a push was lost.
	if !pushes.wait(time.Now().Add(reconcileTime)) {
		return true
	}
	mustRegister := false
	for pushes.event() != 0 {
		mustRegister = true
	}
	for frames := pushes.receive(); frames != nil; frames = pushes.receive() {
		mustRegister = mustRegister || string(frames[0]) == string(controlTopic)
	}
	return mustRegister
}

func (c *client) readLog(token []byte, read func(*tidings.FetchNotificationChangesResponse) error) ([]byte, error) {
	for {
		var page tidings.FetchNotificationChangesResponse
		err := c.call("tidings.v1.NotificationService/FetchNotificationChanges",
			&tidings.FetchNotificationChangesRequest{ChangeToken: token, OmitsReadNotifications: true}, &page)
		if err == nil {
			err = read(&page)
		}
		if err != nil {
			return token, err
		}
		token = page.ChangeToken
		if !page.MoreComing {
			return token, nil
		}
	}
}
