#ifndef TIDINGS_CCRYPTO_SHIM_H
#define TIDINGS_CCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

/* What is a macro in libcrypto, for Swift. */

static inline EVP_PKEY *tidings_p256_generate(void) { return EVP_EC_gen("P-256"); }

static inline int tidings_gcm_set_tag_length(EVP_CIPHER_CTX *context, int bytes, void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, bytes, tag);
}

#endif
