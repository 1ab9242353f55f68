/** Tells the errors of `fetch` that mean that a certificate is not trusted (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const NOT_TRUSTED =
  /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Returns the reason in a few words, or null when the error has another cause. */
export function tlsFault(error: unknown): string | null {
  const { cause } = error as { readonly cause?: unknown };
  if (!(cause instanceof Error)) return null;
  const { code } = cause as NodeJS.ErrnoException;
  return code !== undefined && NOT_TRUSTED.test(code) ? cause.message : null;
}
