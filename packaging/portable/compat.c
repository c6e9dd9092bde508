// What the static libstdc++ of GCC 12 asks of a glibc that is newer than 2.31.

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

// 0: other threads may be there. Counts of references are atomic then.
char __libc_single_threaded = 0;

uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value)) abort();
  return value;
}
