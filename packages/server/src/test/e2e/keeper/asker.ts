/**
 * This process asks for tokens when it is told to, as many times at once as it is told, and says which tokens it got. Its
 * environment has all of its settings.
 */
import pino from 'pino';
import { connect, databaseKind } from '../../../db/connect.ts';
import { createVault } from '../../../secrets.ts';
import { createTokenKeeper } from '../../../sign-in/keeper.ts';
import { byRefreshToken } from '../../../sign-in/renewal.ts';
import { endClaims } from '../../../sign-in/token-store.ts';
import { anywhere } from '../../environment.ts';
import type { Asked, Told } from './askers.ts';
import { SECRET } from './askers.ts';

const { DATABASE = '', CONNECTION = '', TOKEN_URL = '', IS_ALONE } = process.env;
const kind = databaseKind(DATABASE);
const db = connect(DATABASE, { lockWaitMs: 30_000 });
// A service with an embedded database does the same when it starts.
if (IS_ALONE && kind === 'sqlite') await endClaims(db);
const log = pino({ level: 'silent' });
const keeper = createTokenKeeper({ db, kind, vault: createVault(SECRET), log });
const flow = { authorizeUrl: '', tokenUrl: TOKEN_URL, scopes: [], refresh: 'rotating' } as const;
const client = { id: 'quarry', secret: null };
const never = new AbortController().signal;

function ask(): Promise<string> {
  const renewal = byRefreshToken(
    { flow, authorizeUrl: '', tokenUrl: TOKEN_URL, client, isClientOfUser: false },
    { send: anywhere.send, meter: { requests: 0, bytes: 0 } },
    '',
  );
  return keeper
    .hold(CONNECTION, renewal)
    .token(null, never)
    .then(
      ({ tokens }) => tokens.accessToken,
      (error: Error) => `failed: ${error.message}`,
    );
}

process.on('message', async ({ calls }: Asked) => {
  const answers = await Promise.all(Array.from({ length: calls }, ask));
  process.send?.({ answers } satisfies Told);
});
process.send?.({ answers: [] } satisfies Told);
