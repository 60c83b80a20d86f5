#ifndef TIDINGS_CGNUTLS_SHIM_H
#define TIDINGS_CGNUTLS_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#endif
