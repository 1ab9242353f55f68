/** Keeps tokens in memory only, for settings that are not stored yet. */
import { untilAborted } from '../util.ts';
import type { TokenHolder } from './keeper.ts';
import type { IssuedTokens, Renewal, Tokens } from './tokens.ts';

/** Exchanges the credentials for a token when one is first needed, and again when the service refuses the token. */
export function holdUnsaved(renewal: Renewal): TokenHolder {
  let issued: Promise<IssuedTokens> | undefined;
  let version = 0;
  return {
    async token(refused, signal) {
      if (!issued || refused === String(version)) {
        version++;
        const started = issued
          ? issued.then((before) => renewal.renew(before))
          : renewal.renew(null);
        issued = started;
        // The next caller asks again.
        started.catch(() => {
          if (issued === started) issued = undefined;
        });
      }
      const current = issued;
      const stamp = String(version);
      return { tokens: await untilAborted(signal, () => current), stamp };
    },
  };
}

/** These tokens were issued a moment ago, so a service that refuses them has refused the sign-in. */
export const holdIssued = (tokens: Tokens): TokenHolder => ({
  token: async () => ({ tokens, stamp: null }),
});
