import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/**
 * Returns a function that looks at requests until one has come through a proxy that QUARRY_TRUSTED_PROXIES does not
 * name, and then warns the operator, once. It must see the headers of a request before they are removed.
 */
export function unnamedProxyWarning(log: Logger, trustedProxies: readonly string[]) {
  let isSaid = false;
  return (req: FastifyRequest): void => {
    if (isSaid) return;
    const header = ignoredHeader(req, trustedProxies.length > 0);
    if (header === null) return;
    isSaid = true;
    const names = [...trustedProxies, req.socket.remoteAddress].join(',');
    log.warn(
      { address: req.socket.remoteAddress, header },
      `A request with the header ${header} came from an address that QUARRY_TRUSTED_PROXIES does not name, so the header is ignored: everybody behind it has ` +
        'this address in the audit log, and one stranger who fails to sign in ten times keeps all of them from signing in by password. ' +
        `If your proxy has this address, set QUARRY_TRUSTED_PROXIES=${names}, and QUARRY_PUBLIC_URL to the address that browsers use (docs/accounts.md).`,
    );
  };
}

/** Only X-Forwarded-For tells a proxy that is trusted from another one, so the other header counts when none is trusted. */
function ignoredHeader({ headers, ips = [] }: FastifyRequest, trustsAny: boolean): string | null {
  // The first address is the sender; others follow it only when it is trusted.
  if (headers['x-forwarded-for'] !== undefined) return ips.length > 1 ? null : 'X-Forwarded-For';
  return headers['x-forwarded-proto'] !== undefined && !trustsAny ? 'X-Forwarded-Proto' : null;
}
