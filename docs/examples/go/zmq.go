package main

/*
#cgo LDFLAGS: -lzmq
#include <errno.h>
#include <stdlib.h>
#include <zmq.h>
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// socket is a socket of libzmq with a monitor, for one goroutine at a time.
type socket struct {
	handle, monitor unsafe.Pointer
}

var context = C.zmq_ctx_new()

// keys are in Z85; empty: the server is in development mode.
type keys struct {
	server, public, secret string
}

func newSocket(kind C.int, keys keys) (*socket, error) {
	s := &socket{handle: C.zmq_socket(context, kind), monitor: C.zmq_socket(context, C.ZMQ_PAIR)}
	linger := C.int(0)
	err := s.set(C.ZMQ_LINGER, unsafe.Pointer(&linger), unsafe.Sizeof(linger))
	if keys.server != "" {
		for option, key := range map[C.int]string{C.ZMQ_CURVE_SERVERKEY: keys.server,
			C.ZMQ_CURVE_PUBLICKEY: keys.public, C.ZMQ_CURVE_SECRETKEY: keys.secret} {
			text := C.CString(key)
			if err == nil {
				err = s.set(option, unsafe.Pointer(text), uintptr(len(key)))
			}
			C.free(unsafe.Pointer(text))
		}
	}
	events := C.CString(fmt.Sprintf("inproc://events-%p", s.handle))
	defer C.free(unsafe.Pointer(events))
	if err == nil && (C.zmq_socket_monitor(s.handle, events, C.ZMQ_EVENT_ALL) != 0 ||
		C.zmq_connect(s.monitor, events) != 0) {
		err = fmt.Errorf("no monitor: %s", C.GoString(C.zmq_strerror(C.zmq_errno())))
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *socket) set(option C.int, value unsafe.Pointer, size uintptr) error {
	if result, err := C.zmq_setsockopt(s.handle, option, value, C.size_t(size)); result != 0 {
		return fmt.Errorf("option %d: %w", option, err)
	}
	return nil
}

// close stops the monitor first: libzmq's thread would wait for room in its closed socket.
func (s *socket) close() {
	C.zmq_socket_monitor(s.handle, nil, 0)
	C.zmq_close(s.monitor)
	C.zmq_close(s.handle)
}

func (s *socket) connect(endpoint string) error {
	text := C.CString(endpoint)
	defer C.free(unsafe.Pointer(text))
	if result, err := C.zmq_connect(s.handle, text); result != 0 {
		return fmt.Errorf("invalid endpoint '%s': %w", endpoint, err)
	}
	return nil
}

// subscribe has no effect on a topic that is subscribed to.
func (s *socket) subscribe(topic []byte) error {
	bytes := C.CBytes(topic)
	defer C.free(bytes)
	return s.set(C.ZMQ_SUBSCRIBE, bytes, uintptr(len(topic)))
}

// send reports whether there was room for all frames.
func (s *socket) send(frames ...[]byte) bool {
	for i, frame := range frames {
		bytes, flags := C.CBytes(frame), C.int(C.ZMQ_DONTWAIT)
		if i+1 < len(frames) {
			flags |= C.ZMQ_SNDMORE
		}
		result, err := C.zmq_send(s.handle, bytes, C.size_t(len(frame)), flags)
		for result < 0 && err == syscall.EINTR {
			result, err = C.zmq_send(s.handle, bytes, C.size_t(len(frame)), flags)
		}
		C.free(bytes)
		if result < 0 {
			return false
		}
	}
	return true
}

// receive returns the frames of the next message; nil: none waits.
func (s *socket) receive() [][]byte { return receive(s.handle) }

// event returns the next event of the connection; 0: none waits.
func (s *socket) event() int {
	frames := receive(s.monitor)
	if len(frames) == 0 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(frames[0]))
}

func receive(handle unsafe.Pointer) (frames [][]byte) {
	var frame C.zmq_msg_t
	C.zmq_msg_init(&frame)
	defer C.zmq_msg_close(&frame)
	for isComplete := false; !isComplete; {
		result, err := C.zmq_msg_recv(&frame, handle, C.ZMQ_DONTWAIT)
		if result < 0 && err == syscall.EINTR {
			continue
		} else if result < 0 {
			return nil
		}
		frames = append(frames, C.GoBytes(C.zmq_msg_data(&frame), C.int(C.zmq_msg_size(&frame))))
		isComplete = C.zmq_msg_more(&frame) == 0
	}
	return frames
}

// wait returns when the socket has a message or an event; false: not until the deadline.
func (s *socket) wait(deadline time.Time) bool {
	items := [2]C.zmq_pollitem_t{{socket: s.handle, events: C.ZMQ_POLLIN},
		{socket: s.monitor, events: C.ZMQ_POLLIN}}
	for {
		left := time.Until(deadline).Milliseconds()
		if left < 0 {
			left = 0
		}
		count, err := C.zmq_poll(&items[0], 2, C.long(left))
		// The runtime of Go interrupts threads with signals.
		if count >= 0 || err != syscall.EINTR {
			return count > 0
		}
	}
}
