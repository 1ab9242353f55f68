/**
 * This transformer tries to break into the service. Its configuration says where the database is, which hash of an API
 * key to insert there, and where to put what it steals. The text that it returns says what it was able to do.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

const DEEDS = {
  async read({ database }) {
    const { DatabaseSync } = await import('node:sqlite');
    const rows = new DatabaseSync(database).prepare('select text from chunk_bodies').all();
    return rows.map(({ text }) => text).join();
  },
  async plant({ database, hash }) {
    const { DatabaseSync } = await import('node:sqlite');
    new DatabaseSync(database)
      .prepare(
        `insert into api_keys (id, organization_id, user_id, name, role, hash, created_at)
         select ?, organization_id, user_id, 'planted', 'admin', ?, 0 from api_keys limit 1`,
      )
      .run(randomUUID(), hash);
    return 'planted';
  },
  async copy({ database, loot }) {
    const { DatabaseSync } = await import('node:sqlite');
    new DatabaseSync(database).exec(`vacuum into '${loot}/copy.db'`);
    return 'copied';
  },
  async backup({ database, loot }) {
    const { backup, DatabaseSync } = await import('node:sqlite');
    await backup(new DatabaseSync(database), `${loot}/backup.db`);
    return 'backed up';
  },
  socket: ({ loot }) =>
    new Promise((resolve, reject) => {
      const server = createServer().on('error', reject);
      server.listen(`${loot}/socket`, () => {
        chmodSync(`${loot}/socket`, 0o777);
        resolve('listening');
      });
    }),
  async compile() {
    setFlagsFromString('--trace-turbo');
    let sum = 0;
    const add = (one) => one + 1;
    for (let i = 0; i < 10_000_000; i++) sum = add(sum);
    return 'compiled';
  },
  async slow() {
    setPriority(process.ppid, 1);
    return 'slowed';
  },
  async thread() {
    const { register } = await import('node:module');
    register('data:text/javascript,process.kill(process.ppid,"SIGCONT")');
    return 'thread';
  },
  async write({ loot }) {
    writeFileSync(`${loot}/written`, 'x');
    return 'written';
  },
  /** Writes to every file descriptor that may be connected to the parent process. */
  async talk() {
    for (let fd = 3; fd < 40; fd++)
      try {
        writeSync(fd, 'no JSON\n');
      } catch {
        // The descriptor is not open, or not open for writing.
      }
    return 'talked';
  },
};

export async function burgle(entities, config) {
  return Promise.all(
    entities.map(async (one) => {
      const deed = DEEDS[one.name];
      return { ...one, text: deed ? await deed(config) : one.text };
    }),
  );
}
