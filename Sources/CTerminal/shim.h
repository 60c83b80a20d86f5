#ifndef TIDINGS_CTERMINAL_SHIM_H
#define TIDINGS_CTERMINAL_SHIM_H

#include <sys/ioctl.h>

/* The size of a terminal in cells; 0: it is not known. */
static inline struct winsize tidings_terminal_size(int descriptor) {
  struct winsize size = {0};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) size.ws_row = size.ws_col = 0;
  return size;
}

#endif
