import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { connect } from '../db/connect.ts';
import { SourceError } from '../errors.ts';
import { createVault } from '../secrets.ts';
import { defineSource } from '../sources/define.ts';
import { clientCredentials } from '../sources/kit/sign.ts';
import { insertCollection, insertConnection, insertOrganization } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { anywhere } from '../test/environment.ts';
import { json, openTokenPeer, type TokenPeer } from '../test/sign-in/token-peer.ts';
import { isSmokeEnough } from '../test/tier.ts';
import { must, newId } from '../util.ts';
import { createTokenKeeper, sealTokens, type TokenHolder } from './keeper.ts';
import { byCredentials, byRefreshToken, peerOf } from './renewal.ts';
import { endClaims, replace } from './token-store.ts';

const vault = createVault('a secret of the tests, long enough');
const never = new AbortController().signal;
const CLIENT = { id: 'quarry', secret: 'the secret of the client' };

for (const database of DATABASES)
  describe(`the keeper of tokens on ${database.name}`, () => {
    let test: TestDatabase;
    let peer: TokenPeer;
    let connectionId: string;
    let collection: { id: string; organization_id: string };
    const logged: string[] = [];
    const log = pino({}, { write: (line) => logged.push(line) });
    before(async () => {
      test = await database.open();
      const organization_id = await insertOrganization(test.db);
      collection = { id: newId(), organization_id };
      await insertCollection(test.db, collection);
    });
    after(() => test.close());
    afterEach(() => peer.close());
    beforeEach(async () => {
      logged.splice(0);
      peer = await openTokenPeer();
      connectionId = await insertConnection(test.db, collection, { auth_method: 'oauth_browser' });
    });

    /** Each keeper plays a process of its own. */
    const process = (db = test.db) => createTokenKeeper({ db, kind: test.kind, vault, log });
    const transport = { send: anywhere.send, meter: { requests: 0, bytes: 0 } };

    const source = (refresh: 'rotating' | 'reusable' | 'never', more: object = {}) =>
      defineSource({
        shortName: 'test',
        name: 'Test',
        description: 'A test.',
        labels: [],
        auth: {
          oauth: {
            authorizeUrl: `${peer.url}/authorize`,
            tokenUrl: peer.tokenUrl,
            scopes: [],
            refresh,
            ...more,
          },
        },
        config: z.object({}),
        entities: {},
        evidence: [],
        rateLimitLevel: null,
      });
    const holdOAuth = (
      keeper = process(),
      refresh: 'rotating' | 'reusable' | 'never' = 'rotating',
    ): TokenHolder => {
      const client = peerOf(source(refresh), {}, CLIENT);
      return keeper.hold(connectionId, byRefreshToken(client, transport, 'sign in again'));
    };
    const holdClient = (keeper = process()): TokenHolder => {
      const token = ({ id, key }: { id: string; key: string }) =>
        clientCredentials(peer.tokenUrl, { id, secret: key, scope: 'read' });
      const credentials = { id: 'me', key: 'the key of the user' };
      const renewal = byCredentials(
        { token: token as never },
        { credentials, config: {} },
        transport,
      );
      return keeper.hold(connectionId, renewal);
    };

    const signedIn = (tokens: { lifeMs?: number | null; refreshToken?: string | null } = {}) =>
      test.db.transaction().execute((tx) => {
        const { accessToken, refreshToken } = peer;
        const issued = { accessToken, refreshToken, lifeMs: -1, ageMs: 0, ...tokens };
        const sealed = sealTokens(vault, connectionId, issued);
        return replace(tx, test.kind, { connectionId, ...sealed });
      });
    const row = () =>
      test.db
        .selectFrom('connection_tokens')
        .selectAll()
        .where('connection_id', '=', connectionId)
        .executeTakeFirstOrThrow();
    const change = (to: Partial<Awaited<ReturnType<typeof row>>>) =>
      test.db
        .updateTable('connection_tokens')
        .set(to)
        .where('connection_id', '=', connectionId)
        .execute();
    const isRefused = async () => {
      const { refused_at } = await test.db
        .selectFrom('connections')
        .select('refused_at')
        .where('id', '=', connectionId)
        .executeTakeFirstOrThrow();
      return refused_at !== null;
    };
    const accessToken = async (holder: TokenHolder, refused: string | null = null) =>
      (await holder.token(refused, never)).tokens.accessToken;
    const fails = async (asked: Promise<unknown>, kind: string, message = /./) =>
      assert.rejects(asked, (error) => {
        assert.ok(error instanceof SourceError, String(error));
        assert.equal(error.kind, kind, error.message);
        assert.match(error.message, message);
        return true;
      });
    const refused = (response: ServerResponse) =>
      json(response, 400, { error: 'invalid_grant', error_description: 'revoked' });

    it('[JOB-23] an error of our database passes, so it does not end the sync as an error of the source would', async () => {
      await signedIn();
      const full = Object.assign(new Error('disk is full'), {
        code: 'ERR_SQLITE_ERROR',
        errcode: 13,
      });
      for (const call of ['selectFrom', 'updateTable']) {
        const db = new Proxy(test.db, {
          get(whole, name) {
            if (name === call) throw full;
            const value = Reflect.get(whole, name);
            return typeof value === 'function' ? value.bind(whole) : value;
          },
        });
        await assert.rejects(accessToken(holdOAuth(process(db))), {
          name: 'SourceError',
          kind: 'transient',
          message:
            'the tokens of the connection could not be used: the disk of the database is full',
          cause: full,
        });
      }
      assert.deepEqual(peer.forms, []);
      assert.equal(await accessToken(holdOAuth()), 'access-1');
    });

    it('[AUTH-24] many calls in two processes with an expired token cause one refresh', async () => {
      const db = test.url === null ? test.db : connect(test.url);
      const keepers = [process(), process(db)];
      const rounds = isSmokeEnough(database) ? 5 : 25;
      await signedIn();
      for (let round = 1; round <= rounds; round++) {
        const calls = Array.from({ length: 40 }, (_, i) =>
          accessToken(holdOAuth(must(keepers[i % 2]))),
        );
        assert.deepEqual(new Set(await Promise.all(calls)), new Set([`access-${round}`]));
        assert.equal(peer.forms.length, round);
        await change({ expires_at: 0, renew_at: 0 });
      }
      assert.deepEqual(peer.spentTwice, []);
      if (db !== test.db) await db.destroy();
    });

    it('[AUTH-37] exchanges direct credentials once, and stores the sealed token for the next use', async () => {
      assert.equal(await accessToken(holdClient()), 'access-1');
      assert.equal(await accessToken(holdClient()), 'access-1');
      assert.equal(peer.forms.length, 1);
      assert.equal(peer.forms[0]?.get('client_secret'), 'the key of the user');
      const { tokens, tokens_key, version, expires_at, renew_at } = await row();
      assert.doesNotMatch(String(tokens), /access-1/);
      assert.deepEqual([tokens_key, version], [vault.keyId, 1]);
      // The database reads its clock once for each of the two times.
      const aheadMs = must(expires_at) - must(renew_at);
      assert.ok(aheadMs > 359_000 && aheadMs < 361_000, `renewed ${aheadMs} ms ahead`);
      assert.throws(() => vault.open(must(tokens), connectionId), 'sealed for its place alone');
      await change({ expires_at: 0 });
      assert.equal(await accessToken(holdClient()), 'access-2');
    });

    it('[AUTH-25] [AUTH-24] a renewal whose process died ends the sign-in, and the refresh token is not sent again', async () => {
      await signedIn();
      await change({ claim: 'dead', claimed_until: 1, sent_at: 1 });
      await fails(accessToken(holdOAuth()), 'auth', /died while it renewed/);
      assert.equal(await isRefused(), true);
      assert.deepEqual(peer.forms, []);
      // A refresh token that works several times is sent again.
      assert.equal(await accessToken(holdOAuth(process(), 'reusable')), 'access-1');
    });

    it('[AUTH-36] a refused refresh token ends the sign-in, and is not sent again', async () => {
      await signedIn();
      peer.instead.push((_, response) => refused(response));
      await fails(accessToken(holdOAuth()), 'auth', /invalid_grant: revoked/);
      assert.equal(await isRefused(), true);
      await fails(accessToken(holdOAuth()), 'auth', /invalid_grant: revoked/);
      assert.equal(peer.forms.length, 1);
    });

    it('[AUTH-36] a refused refresh token counts only after the stored tokens were read again', async () => {
      await signedIn();
      peer.instead.push(async (_, response) => {
        // Somebody signs in again while the old refresh token is refused.
        peer.issue();
        await signedIn({ lifeMs: 3_600_000 });
        refused(response);
      });
      assert.equal(await accessToken(holdOAuth()), 'access-1');
      assert.equal(await isRefused(), false);
      assert.equal(peer.forms.length, 1);
    });

    it('[AUTH-36] a failed renewal is not repeated for a while, and causes no error while the token works', async () => {
      await signedIn();
      peer.instead.push((_, response) => json(response, 503, {}));
      const holder = holdOAuth();
      const calls = Array.from({ length: 5 }, () => fails(accessToken(holder), 'transient', /503/));
      await Promise.all(calls);
      await fails(accessToken(holdOAuth()), 'transient', /answered 503/);
      assert.equal(peer.forms.length, 1);
      assert.equal(await isRefused(), false);
      await change({ rest_until: 0 });
      assert.equal(await accessToken(holder), 'access-1');

      await change({ renew_at: 0 });
      peer.instead.push((_, response) => json(response, 503, {}));
      assert.equal(await accessToken(holdOAuth(process(), 'reusable')), 'access-1');
      assert.equal(await accessToken(holdOAuth(process(), 'reusable')), 'access-1');
      assert.equal(peer.forms.length, 3);
      await change({ rest_until: 0 });
      // The answer was lost, so the refresh token may be used up. It is kept as a last resort.
      assert.equal(await accessToken(holdOAuth()), 'access-1');
      assert.equal(await accessToken(holdOAuth(process(), 'reusable')), 'access-2');
      assert.equal(peer.forms.length, 4);
    });

    it('[AUTH-36] an endpoint that asks for no time is not asked again at once', async () => {
      await signedIn();
      peer.instead.push((_, response) => {
        response.setHeader('retry-after', '0');
        json(response, 429, {});
      });
      const before = Date.now();
      await fails(accessToken(holdOAuth()), 'rate_limited', /429/);
      assert.ok(must((await row()).rest_until) >= before + 1000);
    });

    it('[AUTH-23] a refused token is renewed once, even for several callers', async () => {
      await signedIn({ lifeMs: null });
      const holders = [holdOAuth(), holdOAuth()];
      const stamps = await Promise.all(
        holders.map(async (one) => (await one.token(null, never)).stamp),
      );
      assert.deepEqual(stamps, ['1', '1']);
      for (const holder of holders) assert.equal(await accessToken(holder, '1'), 'access-1');
      assert.equal(peer.forms.length, 1);
      // The refusal of an older token does not matter for the current one.
      assert.equal(await accessToken(must(holders[0]), '1'), 'access-1');
      assert.equal(peer.forms.length, 1);
    });

    it('[AUTH-25] a renewal is stored even if its caller has gone', async () => {
      await signedIn();
      const gone = new AbortController();
      peer.instead.push((_, response, form) => {
        gone.abort(new Error('gone'));
        peer.refresh(response, form);
      });
      const keeper = process();
      await assert.rejects(holdOAuth(keeper).token(null, gone.signal), /gone/);
      await keeper.settled();
      assert.equal((await row()).version, 2);
      assert.equal(await accessToken(holdOAuth()), 'access-1');
    });

    it('[AUTH-25] a renewal that takes longer than its claim still counts', async () => {
      await signedIn();
      peer.instead.push(async (_, response, form) => {
        await change({ claimed_until: 1 });
        await fails(accessToken(holdOAuth()), 'auth', /died/);
        assert.equal(await isRefused(), true);
        peer.refresh(response, form);
      });
      assert.equal(await accessToken(holdOAuth()), 'access-1');
      assert.equal(await isRefused(), false);
    });

    it('takes over a claim, and ends a rest, that a clock has written which was a year ahead', async () => {
      const ahead = Date.now() + 365 * 24 * 3_600_000;
      await accessToken(holdClient());
      await change({ expires_at: 0, claim: 'other', claimed_until: ahead, sent_at: ahead });
      assert.equal(await accessToken(holdClient()), 'access-2');
      await change({ expires_at: 0, fault_kind: 'transient', fault: '503', rest_until: ahead });
      assert.equal(await accessToken(holdClient()), 'access-3');
    });

    it('waits for the claim of another process, until that process has ended', async () => {
      await accessToken(holdClient());
      await change({ expires_at: 0, claim: 'other', claimed_until: Date.now() + 60_000 });
      const stopped = new AbortController();
      const waiting = holdClient().token(null, stopped.signal);
      stopped.abort(new Error('stopped'));
      await assert.rejects(waiting);
      assert.equal(peer.forms.length, 1);
      await endClaims(test.db);
      assert.equal(await accessToken(holdClient()), 'access-2');
    });

    if (isSmokeEnough(database)) return;

    it('keeps the old refresh token when the endpoint sends no new one', async () => {
      await signedIn();
      peer.instead.push((_, response) =>
        json(response, 200, { access_token: 'b', expires_in: 60 }),
      );
      assert.equal(await accessToken(holdOAuth()), 'b');
      await change({ expires_at: 0 });
      assert.equal(await accessToken(holdOAuth()), 'access-1');
      assert.deepEqual(
        peer.forms.map((form) => form.get('refresh_token')),
        ['refresh-0', 'refresh-0'],
      );
    });

    it('tokens that cannot be renewed are used until they end', async () => {
      await signedIn({ lifeMs: 3_600_000, refreshToken: null });
      await change({ renew_at: 0 });
      assert.deepEqual(await holdOAuth().token(null, never), {
        tokens: { accessToken: 'access-0', refreshToken: null },
        stamp: null,
      });
      await change({ expires_at: 1 });
      await fails(accessToken(holdOAuth()), 'auth', /cannot be renewed/);
      assert.deepEqual(peer.forms, []);
    });

    it('the client authenticates as the provider requires', async () => {
      await signedIn();
      await accessToken(holdOAuth());
      const body = must(peer.forms[0]);
      assert.deepEqual(
        [body.get('client_id'), body.get('client_secret')],
        [CLIENT.id, CLIENT.secret],
      );
      await change({ expires_at: 0 });
      const basic = { ...peerOf(source('rotating', { clientAuth: 'basic' }), {}, CLIENT) };
      const renewal = byRefreshToken(basic, transport, '');
      await process().hold(connectionId, renewal).token(null, never);
      assert.deepEqual([...must(peer.forms[1]).keys()], ['grant_type', 'refresh_token']);
      const sent = /^Basic (.+)$/.exec(must(peer.headers[1]).authorization ?? '')?.[1];
      assert.equal(Buffer.from(sent ?? '', 'base64').toString(), 'quarry:the+secret+of+the+client');
    });

    it('no token is renewed for a deleted connection, or stored for one that is deleted in the meantime', async () => {
      const remove = () =>
        test.db
          .updateTable('connections')
          .set({ deleted_at: 1 })
          .where('id', '=', connectionId)
          .execute();
      peer.instead.push(async (_, response, form) => {
        await remove();
        peer.refresh(response, form);
      });
      await signedIn();
      await fails(accessToken(holdOAuth()), 'fatal', /deleted/);
      await fails(accessToken(holdClient()), 'fatal', /deleted/);
      assert.equal(peer.forms.length, 1);
    });

    it('[AUTH-12] the log contains no secret', async () => {
      await signedIn();
      peer.instead.push((_, response, form) =>
        json(response, 400, { error: 'strange', error_description: form.toString() }),
      );
      await fails(accessToken(holdOAuth()), 'fatal');
      assert.match(logged.join(), /a renewal of tokens failed/);
      assert.doesNotMatch(logged.join(), /refresh-0|the.secret.of.the.client/);
    });
  });
