import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { type AppError, SourceError, type SourceErrorKind } from '../errors.ts';
import { parsePart } from '../http/parse-part.ts';
import { openUnsaved } from '../sign-in/open-source.ts';
import { defineSource, type Source, secret } from '../sources/define.ts';
import { anywhere, unlimited } from '../test/environment.ts';
import { contextOf } from '../test/identity.ts';
import { secretsOf } from './causes.ts';
import { checkSource, isSameConfig, newSignIn, parseConfig, parseCredentials } from './check.ts';

const make = (over: Partial<Source> = {}): Source => ({
  ...defineSource({
    shortName: 'test',
    name: 'Test',
    description: '',
    labels: [],
    auth: { direct: { fields: z.object({ token: secret('Token', 'A token') }) } },
    config: z.strictObject({ depth: z.number().default(1) }),
    entities: {},
    evidence: [],
    rateLimitLevel: null,
  }),
  ...over,
});
const open = make({ auth: {} });
const faults = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return (error as { faults: { loc: unknown }[] }).faults.map(({ loc }) => loc);
  }
  return [];
};

describe('the settings of a connection', () => {
  it('[AUTH-04] are refused with the path of each wrong field', () => {
    assert.deepEqual(parseConfig(make(), undefined), { depth: 1 });
    assert.deepEqual(
      faults(() => parseConfig(make(), { depth: 'x', a: 1, b: 2 })),
      [
        ['body', 'config', 'depth'],
        ['body', 'config', 'a'],
        ['body', 'config', 'b'],
      ],
    );
    const loc = ['body', 'auth', 'direct', 'credentials'];
    assert.deepEqual(parseCredentials(make(), { token: 'x' }, loc), { token: 'x' });
    assert.deepEqual(
      faults(() => parseCredentials(make(), null, loc)),
      [[...loc, 'token']],
    );
  });

  it('[GEN-14] are refused in words that say which fields there are, and which are missing', () => {
    const told = (act: () => unknown) => {
      try {
        act();
      } catch (error) {
        return (error as AppError).faults.map(({ msg }) => msg);
      }
      return [];
    };
    assert.deepEqual(
      told(() => parseConfig(make(), { dept: 1 })),
      ["the field 'dept' is not known: use depth"],
    );
    assert.deepEqual(
      told(() => parseCredentials(make(), {}, ['body'])),
      ['this field is required'],
    );
    const schema = z.strictObject({ names: z.array(z.string()).min(1), user: z.string().min(1) });
    assert.deepEqual(
      told(() => parsePart(schema, { names: [], user: '' }, ['body'])),
      [
        'the list is empty: give at least 1 value, or leave the field out where it is optional',
        'must not be empty',
      ],
    );
  });

  it('[CON-19] count as unchanged when they would be stored in the same form', () => {
    const stored = { since: '2026-01-02T00:00:00.000Z', tables: ['a', 'b'] };
    const since = new Date('2026-01-02');
    assert.equal(isSameConfig({ tables: ['a', 'b'], since, part: undefined }, stored), true);
    assert.equal(isSameConfig({ tables: ['b', 'a'], since }, stored), false);
  });

  it('[AUTH-13] need no credentials for a source without any, and refuse given ones', () => {
    assert.equal(parseCredentials(open, null, []), null);
    assert.equal(parseCredentials(open, {}, []), null);
    assert.throws(() => parseCredentials(open, { token: 'x' }, ['body']), {
      status: 422,
      message: 'test takes no credentials',
    });
  });

  it('[CON-20] [AUTH-26] replace credentials only for the method direct', () => {
    const patch = { authentication: { credentials: { token: 'new' } } };
    assert.equal(newSignIn(make(), 'oauth_browser', {}), undefined);
    assert.deepEqual(newSignIn(make(), 'direct', patch), {
      method: 'direct',
      credentials: { token: 'new' },
      loc: ['body', 'authentication', 'credentials'],
    });
    assert.throws(() => newSignIn(make(), 'oauth_browser', patch), {
      status: 422,
      message: /delete it and create it again/,
    });
  });
});

describe('checkSource', () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  beforeEach(() => lines.splice(0));
  const ctx = contextOf('acme', { role: 'member', log });
  const credentials = { token: 'hunter2' };
  const check = (error: Error | null, account?: Source['account']) => {
    const source = make({
      check: async () => {
        if (error) throw error;
      },
      ...(account && { account }),
    });
    return checkSource(ctx, {
      source,
      secrets: secretsOf(source, credentials),
      loc: ['body', 'authentication'],
      open: (call) =>
        openUnsaved(
          { environment: anywhere, rateLimiter: unlimited, log },
          { organizationId: 'acme', connectionId: null, source, config: {}, credentials },
          call,
        ),
    });
  };

  it('logs nothing when the source accepts the settings', async () => {
    await check(null);
    assert.deepEqual(lines, []);
  });

  it('[AUTH-33] returns the account, if the source can tell it', async () => {
    assert.equal(await check(null), null);
    assert.equal(await check(null, async () => 'ann@example.com'), 'ann@example.com');
  });

  it('[AUTH-12] logs a refusal once, with its causes and without secrets', async () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.7:443 with hunter2');
    await assert.rejects(check(new SourceError('transient', 'cannot be reached', { cause })));
    const logged = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      logged.map(({ time: _, ...rest }) => rest),
      [
        {
          level: 30,
          organization: 'acme',
          source: 'test',
          causes: [
            'SourceError: cannot be reached',
            'Error: connect ECONNREFUSED 10.0.0.7:443 with [secret]',
          ],
          msg: 'a source refused a connection',
        },
      ],
    );
  });

  const kinds: [SourceErrorKind, string, string][] = [
    ['auth', 'credentials_refused', 'authentication'],
    ['config', 'invalid', 'config'],
    ['transient', 'source_unreachable', 'authentication'],
    ['rate_limited', 'source_unreachable', 'authentication'],
    ['fatal', 'source_failed', 'authentication'],
  ];
  for (const [kind, code, place] of kinds) {
    it(`[AUTH-11] [CON-38] answers ${code} for an error of the kind ${kind}`, () =>
      assert.rejects(check(new SourceError(kind, 'the source answered no')), {
        status: 422,
        code,
        message: 'the source answered no',
        faults: [{ loc: ['body', place], msg: 'the source answered no', type: 'value_error' }],
      }));
  }

  it('[AUTH-11] says what to do, when the source knows it', () => {
    const hint = 'Invite the app to a channel.';
    const refused = new SourceError('config', 'the app is in no channel.', { hint });
    return assert.rejects(check(refused), { message: `the app is in no channel. ${hint}` });
  });

  it('[AUTH-11] reports that the source did not answer in time', async (t) => {
    const late = new DOMException('too late', 'TimeoutError');
    const patience = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(late));
    await assert.rejects(check(late), {
      status: 422,
      code: 'source_unreachable',
      message: 'Test did not answer within 10 seconds',
    });
    assert.match(lines.join(), /"causes":\["TimeoutError 23: too late"\]/);
    assert.deepEqual(patience.mock.calls[0]?.arguments, [10_000]);
  });

  it('throws an internal error unchanged', () =>
    assert
      .rejects(check(new TypeError('ours')), { name: 'TypeError' })
      .then(() => assert.deepEqual(lines, [])));
});
