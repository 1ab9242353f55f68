/** Signs requests with direct credentials, where the source signs by headers or each request by itself. */
import type { Authorizer } from '../sources/auth.ts';
import type { Source } from '../sources/define.ts';

export function directAuthorizer({ auth }: Source, credentials: unknown): Authorizer {
  const sign = auth.direct?.sign;
  return {
    async sign(request) {
      const { url } = request;
      if (sign && 'headers' in sign)
        return { url, headers: sign.headers(credentials), stamp: null };
      if (sign && 'each' in sign)
        return { url, headers: sign.each(credentials, request), stamp: null };
      return { url, headers: {}, stamp: null };
    },
  };
}
