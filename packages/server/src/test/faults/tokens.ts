/**
 * The token endpoint of the companies, with everything that such an endpoint and the network do. Tokens end, some earlier
 * than the answer has said.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../../net/guarded-send.ts';
import { hold } from '../random/violation.ts';
import { type Owner, running } from './clock.ts';
import type { Company } from './company.ts';
import { pieces } from './pieces.ts';
import type { Listener } from './source.ts';

const MINUTE_MS = 60_000;

interface Token {
  readonly company: Company;
  readonly password: string;
  /** The token ends then, by a clock that is never set. */
  readonly until: number;
}

/** A request for a token that has not been answered. */
interface Request {
  readonly key: string;
  readonly owner: Owner;
  readonly since: number;
  /** The clock of the machine was so far from the one that is never set. */
  readonly offset: number;
}

export function createTokens({
  pause,
  check,
  vendor,
}: Pick<Listener, 'pause' | 'check' | 'vendor'>) {
  const tokens = new Map<string, Token>();
  const unanswered = new Set<Request>();

  async function answerTo(form: URLSearchParams, signal: AbortSignal): Promise<HttpResponse> {
    await pause();
    const { company, trouble } = vendor(form.get('client_id') ?? '');
    const { random } = trouble;
    const isBroken = random.next() < trouble.online;
    if (isBroken && random.next() < 0.5) {
      const how = random.next();
      if (how < 0.3) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
      // This is longer than any client waits.
      if (how < 0.5) await sleep(10 * MINUTE_MS, undefined, { signal });
      if (how < 0.8) return answer(random.pick([500, 502, 503]), {});
      return { status: 200, headers: new Headers(), body: pieces(['<html>Back soon</html>']) };
    }
    if (form.get('client_secret') !== company.password)
      return answer(401, { error: 'invalid_client' });
    const life = random.pick(trouble.online > 0 ? [0.5, 5, 60] : [5, 60]) * MINUTE_MS;
    const access_token = `token-${tokens.size}`;
    const { password } = company;
    tokens.set(access_token, { company, password, until: performance.now() + life });
    // The answer is lost after the token was issued.
    if (isBroken) throw new TypeError('terminated', { cause: { code: 'ECONNRESET' } });
    const expires_in = random.pick([life / 1000, 3600, undefined]);
    return answer(200, { access_token, token_type: 'Bearer', expires_in });
  }

  return {
    async issue(form: URLSearchParams, signal: AbortSignal): Promise<HttpResponse> {
      const key = form.get('client_id') ?? '';
      const owner = running.getStore() as Owner;
      const since = performance.now();
      const asked = { key, owner, since, offset: Date.now() - since };
      check(() => {
        const others = [...unanswered].filter((other) => other.key === key && holdsClaim(other));
        hold(others.length === 0, 'one renewal at a time', () => key);
      });
      unanswered.add(asked);
      try {
        return await answerTo(form, signal);
      } finally {
        unanswered.delete(asked);
      }
    },

    /** All tokens of the company end. */
    endAll(of: Company): void {
      for (const [name, token] of tokens)
        if (token.company === of) tokens.set(name, { ...token, until: 0 });
    },

    isAllowed(company: Company, authorization: string | undefined): boolean {
      const [, name] = /^Bearer (.+)$/.exec(authorization ?? '') ?? [];
      if (name === undefined) return authorization === company.password;
      const token = tokens.get(name);
      return (
        token?.company === company &&
        token.password === company.password &&
        performance.now() < token.until
      );
    },
  };
}

/** A process that slept, or whose clock was set, may have lost its claim meanwhile. */
const holdsClaim = ({ owner, since, offset }: Request): boolean =>
  owner.state === 'up' &&
  owner.awakeSince <= since &&
  Math.abs(Date.now() - performance.now() - offset) < 1;

const answer = (status: number, body: object): HttpResponse => ({
  status,
  headers: new Headers(),
  body: pieces([JSON.stringify(body)]),
});
