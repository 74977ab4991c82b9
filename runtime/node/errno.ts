// Linux error numbers: what the host calls return, negated, on every platform.

/** By the names that Node gives errors. */
const NUMBERS: Readonly<Record<string, number>> = {
  EPERM: 1,
  ENOENT: 2,
  ESRCH: 3,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  E2BIG: 7,
  ENOEXEC: 8,
  EBADF: 9,
  ECHILD: 10,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EFAULT: 14,
  EBUSY: 16,
  EEXIST: 17,
  EXDEV: 18,
  ENODEV: 19,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOTTY: 25,
  ETXTBSY: 26,
  EFBIG: 27,
  ENOSPC: 28,
  ESPIPE: 29,
  EROFS: 30,
  EMLINK: 31,
  EPIPE: 32,
  ERANGE: 34,
  ENAMETOOLONG: 36,
  ENOSYS: 38,
  ENOTEMPTY: 39,
  ELOOP: 40,
  EOVERFLOW: 75,
  ENOTSOCK: 88,
  EDESTADDRREQ: 89,
  EMSGSIZE: 90,
  EPROTONOSUPPORT: 93,
  EOPNOTSUPP: 95,
  ENOTSUP: 95,
  EAFNOSUPPORT: 97,
  EADDRINUSE: 98,
  EADDRNOTAVAIL: 99,
  ENETDOWN: 100,
  ENETUNREACH: 101,
  ECONNABORTED: 103,
  ECONNRESET: 104,
  EISCONN: 106,
  ENOTCONN: 107,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
  EALREADY: 114,
  EINPROGRESS: 115,
  ECANCELED: 125,
  // Errors of Node's own that have a meaning in POSIX.
  ENOTFOUND: 2,
  EAI_AGAIN: 11,
  ERR_INVALID_ARG_VALUE: 22,
  ERR_OUT_OF_RANGE: 22,
  ERR_SOCKET_BAD_PORT: 22,
  ERR_STREAM_DESTROYED: 32,
  ERR_STREAM_WRITE_AFTER_END: 32,
  ERR_SOCKET_DGRAM_NOT_RUNNING: 9,
};

/** The negated number of a name, e.g. `errno("EPIPE")` is -32. */
export function errno(name: keyof typeof NUMBERS & string): number {
  return -(NUMBERS[name] ?? 5);
}

/** The negated number of what a call of Node threw or reported; an unknown error is an EIO. */
export function errnoOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "string") return -5;
  return -(NUMBERS[error.code] ?? 5);
}
