/** Starts processes that ask for the tokens of one connection. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createVault } from '../../../secrets.ts';
import { sealTokens } from '../../../sign-in/keeper.ts';
import { replace } from '../../../sign-in/token-store.ts';
import { must, newId } from '../../../util.ts';
import { insertCollection, insertConnection, insertOrganization } from '../../api/rows.ts';
import { childEnvironment } from '../../child-environment.ts';
import type { TestDatabase } from '../../databases.ts';
import type { TokenPeer } from '../../sign-in/token-peer.ts';

const ASKER = fileURLToPath(new URL('./asker.ts', import.meta.url));
export const SECRET = 'a secret of the tests, long enough';

export interface Asked {
  readonly calls: number;
}

export interface Told {
  readonly answers: readonly string[];
}

export interface AskerProcess {
  readonly child: ChildProcess;
  ask(calls: number): Promise<readonly string[]>;
  /** Ends the process at once, wherever it is. */
  kill(): Promise<void>;
}

export async function openAskers(test: TestDatabase, peer: TokenPeer) {
  const { db, kind } = test;
  const vault = createVault(SECRET);
  const organization_id = await insertOrganization(db);
  const collection = { id: newId(), organization_id };
  await insertCollection(db, collection);
  const connectionId = await insertConnection(db, collection, { auth_method: 'oauth_browser' });
  const running = new Set<ChildProcess>();

  const change = (to: object) =>
    db.updateTable('connection_tokens').set(to).where('connection_id', '=', connectionId).execute();

  return {
    change,

    /** Stores the present tokens of the peer; the access token has ended. */
    signIn: () =>
      db.transaction().execute((tx) => {
        const { accessToken, refreshToken } = peer;
        const sealed = sealTokens(vault, connectionId, {
          ...{ accessToken, refreshToken, lifeMs: 0, ageMs: 0 },
        });
        return replace(tx, kind, { connectionId, ...sealed });
      }),

    expire: () => change({ expires_at: 0, renew_at: 0 }),

    version: async (): Promise<number> => {
      const row = await db
        .selectFrom('connection_tokens')
        .select('version')
        .where('connection_id', '=', connectionId)
        .executeTakeFirstOrThrow();
      return row.version;
    },

    async start({ isAlone = false } = {}): Promise<AskerProcess> {
      const child = fork(ASKER, {
        execArgv: ['-C', 'quarry'],
        env: {
          ...childEnvironment(),
          DATABASE: must(test.url),
          CONNECTION: connectionId,
          TOKEN_URL: peer.tokenUrl,
          ...(isAlone && { IS_ALONE: 'yes' }),
        },
      });
      running.add(child);
      const told = async (): Promise<Told> => {
        const [message] = await once(child, 'message');
        return message as Told;
      };
      await told();
      return {
        child,
        async ask(calls) {
          const answer = told();
          child.send({ calls } satisfies Asked);
          return (await answer).answers;
        },
        async kill() {
          running.delete(child);
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },

    async close() {
      for (const child of running) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}
