/**
 * Edits, moves and deletes records at random in real servers of Git, CalDAV and MySQL, while the service copies them and is
 * killed with kill -9. After each round a search must find what the servers hold, and nothing else.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from '../e2e/process.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import type { Random } from '../random/random.ts';
import { newWord } from '../sources/cloud-company.ts';
import { openGitServer, PASSWORD, skipWithoutGit, USER } from '../sources/git-server.ts';
import { openPeer } from '../sources/mysql-peer.ts';
import { event, openRadicale, PEOPLE, skipWithoutRadicale } from '../sources/radicale.ts';
import { playRounds, soakRandom } from './soak.ts';

const ROUNDS = 2;
/** There are always enough records that no sync deletes so many of them that it waits for a confirmation. */
const RECORDS = 80;

/** A real server, edited by its own client. A text that is null removes the record. */
interface EditedServer {
  readonly settings: object;
  newId(chance: Random, number: number): string;
  write(records: Readonly<Record<string, string | null>>): Promise<void>;
  close(): Promise<void>;
}

async function openRepository(): Promise<EditedServer> {
  const server = await openGitServer();
  const repository = await server.repository('notes');
  return {
    settings: {
      short_name: 'git',
      config: { url: server.http('notes') },
      authentication: { credentials: { username: USER, password: PASSWORD } },
    },
    newId: (chance, number) =>
      `${chance.pick(['', 'a/', 'a/b/', 'ü ☃/', 'line\nbreak/'])}${number}.md`,
    async write(records) {
      await repository.commit(records);
    },
    close: () => server.close(),
  };
}

async function openCalendars(): Promise<EditedServer> {
  const server = await openRadicale();
  const calendars = [await server.calendar('work', 'Work'), await server.calendar('home', 'Home')];
  return {
    settings: {
      short_name: 'caldav',
      config: { url: server.baseUrl },
      authentication: { credentials: { username: 'ann', password: PEOPLE.ann } },
    },
    newId: (chance, number) => `${chance.pick(calendars)}${number}.ics`,
    async write(records) {
      for (const [id, text] of Object.entries(records))
        await (text === null ? server.remove(id) : server.put(id, event(id, text)));
    },
    close: () => server.close(),
  };
}

/** The person moves rows between two tables. */
async function openTables(): Promise<EditedServer> {
  const peer = await openPeer();
  const tables = ['letters', 'notes'];
  const made = tables.map((name) => `create table ${name} (id int primary key, text text)`);
  const credentials = await peer.database(made.join(';'));
  function statement([id, text]: [string, string | null]): string {
    const [table, key] = id.split(':');
    return text === null
      ? `delete from ${table} where id = ${key}`
      : `replace into ${table} values (${key}, '${text}')`;
  }
  return {
    // Only a full sync finds the rows that are gone.
    settings: { short_name: 'mysql', authentication: { credentials }, schedule: { cron: null } },
    newId: (chance, number) => `${chance.pick(tables)}:${number}`,
    async write(records) {
      await peer.sql(['begin', ...Object.entries(records).map(statement), 'commit'].join(';'));
    },
    close: () => peer.close(),
  };
}

describe('real servers and kill -9', { concurrency: true }, () => {
  for (const [name, open, skip] of [
    ['git', openRepository, skipWithoutGit],
    ['caldav', openCalendars, skipWithoutRadicale],
    ['mysql', openTables, skipWithoutMariadb],
  ] as const)
    describe(`a real server of ${name} and kill -9`, { skip }, () => {
      let edited: EditedServer;
      let dir: ReturnType<typeof tempDir>;
      let server: Server;
      let connection: string;
      let chance: Random;
      /** Maps the ids of all records to their words. */
      const words = new Map<string, string>();
      /** Maps ids to the words by which a search has found them. */
      const found = new Map<string, string>();
      let made = 0;

      before(async () => {
        chance = soakRandom();
        edited = await open();
        await write(
          Object.fromEntries(Array.from({ length: RECORDS }, () => [newId(), newWord()])),
        );
        dir = tempDir();
        server = await start();
        await call('POST', '/v1/collections', { name: 'Records', readable_id: 'records' });
        const { id } = await call('POST', '/v1/source-connections', {
          name: 'Records',
          readable_collection_id: 'records',
          schedule: { cron: null, continuous: true },
          sync_immediately: false,
          ...edited.settings,
        });
        connection = id;
      });
      after(async () => {
        await server?.kill();
        await edited?.close();
        dir?.remove();
      });

      const start = () =>
        startServer(dir.path, { env: { QUARRY_API_KEY: TEST_KEY, QUARRY_ALLOW_LOOPBACK: 'true' } });

      async function call(method: string, path: string, asked?: unknown) {
        const { status, body } = await server.call(method, path, asked);
        assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
        return body;
      }

      const newId = () => edited.newId(chance, made++);
      const anyId = () => chance.pick([...words.keys()]);

      async function write(changes: Readonly<Record<string, string | null>>): Promise<void> {
        for (const [id, word] of Object.entries(changes))
          if (word === null) words.delete(id);
          else words.set(id, word);
        await edited.write(
          Object.fromEntries(
            Object.entries(changes).map(([id, word]) => [id, word && `It speaks of ${word}.`]),
          ),
        );
      }

      function move(): Promise<void> {
        const from = anyId();
        return write({ [from]: null, [newId()]: must(words.get(from)) });
      }

      function edit(): Promise<void> {
        const add = () => write({ [newId()]: newWord() });
        const change = () => write({ [anyId()]: newWord() });
        const addOrRemove = words.size < RECORDS ? add : () => write({ [anyId()]: null });
        return chance.pick([change, change, add, move, addOrRemove])();
      }

      async function synced() {
        const job = await untilSynced(server, connection);
        assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
        return job;
      }

      async function assertHeld(): Promise<void> {
        const query = `source_connection_id=${connection}&limit=1000`;
        const rows: { entity_id: string }[] = await call('GET', `/v1/entities?${query}`);
        assert.deepEqual(rows.map((row) => row.entity_id).toSorted(), [...words.keys()].toSorted());
        for (const [id, word] of words) {
          if (found.get(id) === word) continue;
          const { results } = await call('POST', '/v1/collections/records/search', {
            query: word,
            limit: 2,
            generate_answer: false,
          });
          const ids = results.map((one: { entity_id: string }) => one.entity_id);
          assert.ok(ids.includes(`${id}__chunk_0`), `'${word}' finds ${ids}, and not ${id}`);
          found.set(id, word);
        }
      }

      async function playRound(): Promise<void> {
        await call('POST', `/v1/source-connections/${connection}/run`);
        for (let left = chance.below(6); left >= 0; left--) await edit();
        await server.kill();
        for (let left = chance.below(4); left > 0; left--) await edit();
        server = await start();
        for (let left = chance.below(6); left > 0; left--) await edit();
        await synced();
        // The first sync may have read a part before it changed. The second one begins after the last change.
        await call('POST', `/v1/source-connections/${connection}/run`);
        assert.equal((await synced()).entities_failed, 0);
        await assertHeld();
      }

      it('[JOB-37] [JOB-43] loses no record and keeps none that is gone', async (t) => {
        const rounds = await playRounds(ROUNDS, playRound);
        t.diagnostic(`${rounds} rounds, ${made} records made`);
      });
    });
});
