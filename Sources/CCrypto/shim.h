// The functions of OpenSSL's libcrypto that the player uses, declared here because the library is loaded on demand and
// its headers need not be installed. They have not changed since 1.1. (libcurl has loaded the library already.)
#ifndef SEGUE_CCRYPTO_SHIM_H
#define SEGUE_CCRYPTO_SHIM_H
#include <dlfcn.h>
#include <stddef.h>

#include "../CLibraries/libraries.h"

typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_md_st EVP_MD;

typedef struct {
  EVP_CIPHER_CTX *_Nullable (*_Nonnull CIPHER_CTX_new)(void);
  void (*_Nonnull CIPHER_CTX_free)(EVP_CIPHER_CTX *_Nonnull);
  const EVP_CIPHER *_Nonnull (*_Nonnull aes_128_cbc)(void);
  int (*_Nonnull DecryptInit_ex)(
      EVP_CIPHER_CTX *_Nonnull, const EVP_CIPHER *_Nonnull, void *_Nullable engine, const unsigned char *_Nonnull key,
      const unsigned char *_Nonnull vector);
  int (*_Nonnull DecryptUpdate)(
      EVP_CIPHER_CTX *_Nonnull, unsigned char *_Nonnull to, int *_Nonnull count, const unsigned char *_Nonnull from, int);
  int (*_Nonnull DecryptFinal_ex)(EVP_CIPHER_CTX *_Nonnull, unsigned char *_Nonnull to, int *_Nonnull count);
  const EVP_MD *_Nonnull (*_Nonnull md5)(void);
  const EVP_MD *_Nonnull (*_Nonnull sha256)(void);
  int (*_Nonnull Digest)(
      const void *_Nonnull, size_t count, unsigned char *_Nonnull digest, unsigned int *_Nonnull size,
      const EVP_MD *_Nonnull, void *_Nullable engine);
} segue_crypto_functions;

// The functions, each under its name without `EVP_`; null where the library is not installed. To be called once.
static inline const segue_crypto_functions *_Nullable segue_crypto_load(void) {
  static segue_crypto_functions table;
  void *library = segue_library_open(SEGUE_CRYPTO);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "EVP_" #name))) return 0;
  SEGUE_FIND(CIPHER_CTX_new) SEGUE_FIND(CIPHER_CTX_free) SEGUE_FIND(aes_128_cbc) SEGUE_FIND(DecryptInit_ex)
  SEGUE_FIND(DecryptUpdate) SEGUE_FIND(DecryptFinal_ex) SEGUE_FIND(md5) SEGUE_FIND(sha256) SEGUE_FIND(Digest)
#undef SEGUE_FIND
  return &table;
}
#endif
