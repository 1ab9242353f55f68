/** Documents are kept in these places, from which Quarry copies them: a folder and a table. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** A sync pulls the documents of a place. They are known by the ids that Quarry gives them. */
export interface Place {
  /** The place has about this many documents. A sync commits after every 200 of them. */
  readonly size: number;
  /** A new source connection gets these settings. */
  readonly settings: object;
  idOf(number: number): string;
  put(id: string, text: string): Promise<void>;
  remove(id: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  close(): Promise<void>;
}

/** `path` is an empty folder of its own. */
export function folder(path: string, size: number): Place {
  const root = join(path, 'files');
  const draft = join(path, 'draft');
  for (const name of ['a', 'b', 'c']) mkdirSync(join(root, name), { recursive: true });
  return {
    size,
    settings: { short_name: 'files', config: { path: root, watch: false } },
    idOf: (number) => `${['a/', 'b/', 'c/', ''][number % 4]}${number}.md`,
    async put(id, text) {
      // A reader finds the file as it was or as it is, as with an editor that saves well.
      writeFileSync(draft, text);
      renameSync(draft, join(root, id));
    },
    remove: async (id) => rmSync(join(root, id)),
    rename: async (from, to) => renameSync(join(root, from), join(root, to)),
    close: async () => {},
  };
}

/** `url` names a PostgreSQL database of its own. */
export async function table(url: string, size: number): Promise<Place> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create table notes (id integer primary key, body text not null)');
  const { hostname, port, pathname, username, password } = new URL(url);
  const numberOf = (id: string) => Number(id.slice('notes:'.length));
  const query = async (text: string, values: unknown[]) => {
    await client.query(text, values);
  };
  return {
    size,
    settings: {
      short_name: 'postgresql',
      config: { tables: ['notes'] },
      authentication: {
        credentials: {
          host: hostname,
          port: Number(port || 5432),
          database: pathname.slice(1),
          user: decodeURIComponent(username),
          // A server that trusts every client accepts any password.
          password: decodeURIComponent(password) || 'none',
        },
      },
    },
    idOf: (number) => `notes:${number}`,
    put: (id, text) =>
      query(
        'insert into notes values ($1, $2) on conflict (id) do update set body = excluded.body',
        [numberOf(id), text],
      ),
    remove: (id) => query('delete from notes where id = $1', [numberOf(id)]),
    rename: (from, to) =>
      query('update notes set id = $2 where id = $1', [numberOf(from), numberOf(to)]),
    close: () => client.end(),
  };
}

/** Every document has this word. */
export const COMMON = 'ledgerdocument';
const WORD = /\bw[0-9a-f]{16}\b/;

/** Many `paragraphs` make a document of several chunks, which all have the word. */
export function textOf(word: string, paragraphs: number): string {
  const lines = Array.from(
    { length: paragraphs },
    (_, i) =>
      `${COMMON} ${word} paragraph ${i} speaks at some length about the weather, the harvest and the price of salt in the year ${1200 + i}, as the chronicle of the town has it.`,
  );
  return lines.join('\n\n');
}

export const wordIn = (text: string): string | undefined => WORD.exec(text)?.[0];
