/**
 * A session is one signed-in connection to a mail server. It opens mailboxes for reading only, never marks a message as
 * read, and runs one command after the other. A command that takes too long ends the session.
 */
import type {
  FetchMessageObject,
  FetchQueryObject,
  ImapFlow,
  ListResponse,
  MailboxObject,
} from 'imapflow';
import { SourceError } from '../../errors.ts';
import { within } from '../../util.ts';
import { connect, type ImapContext, type Patience } from './connect.ts';
import { type AskedServer, toSourceError } from './failure.ts';
import { fromRanges } from './known.ts';
import { portOf } from './settings.ts';

const PATIENCE: Patience = { connectMs: 15_000, silenceMs: 60_000, commandMs: 300_000 };
const CLOSE_MS = 2000;
/** Files are asked for in pieces of this size. */
const CHUNK_BYTES = 256 * 1024;

/** The UIDs of a mailbox are valid as long as its UIDVALIDITY stays the same. */
export interface OpenMailbox {
  readonly path: string;
  readonly validity: string;
  /** New messages get this UID or a greater one. */
  readonly next: number;
  readonly exists: number;
}

export interface ImapSession {
  /** Lists all mailboxes, each with the number of its messages, UIDNEXT and UIDVALIDITY. */
  list(): Promise<ListResponse[]>;
  /** These prefixes are before the names of mailboxes that belong to others. */
  readonly foreignPrefixes: readonly string[];
  /** Opens the mailbox, also when it is open already, and so learns its present state. */
  open(path: string): Promise<OpenMailbox>;
  /** Opens the mailbox unless it is open already. */
  stayIn(path: string): Promise<OpenMailbox>;
  /** Returns the UIDs of the messages in the open mailbox, in ascending order. */
  uids(since: string | undefined): Promise<number[]>;
  /** Returns what the server answers about these messages. Messages that are gone are missing. */
  askFor(uids: readonly number[], query: FetchQueryObject): Promise<FetchMessageObject[]>;
  /** Gives the decoded content of a part to `take`, piece by piece. */
  download(
    at: { readonly uid: number; readonly part: string },
    take: (piece: Uint8Array) => Promise<void>,
  ): Promise<void>;
  readonly isUsable: boolean;
  close(): Promise<void>;
}

export async function openSession(
  ctx: ImapContext,
  patience: Patience = PATIENCE,
): Promise<ImapSession> {
  const { signal, meter, credentials } = ctx;
  const server: AskedServer = {
    address: `${credentials.host}:${portOf(credentials)}`,
    password: credentials.password,
  };
  const explain = (error: unknown): never => {
    signal.throwIfAborted();
    throw toSourceError(error, server);
  };
  const { client, broke } = await connect(ctx, patience).catch(explain);
  const stop = () => client.close();
  signal.addEventListener('abort', stop, { once: true });

  async function ask<T>(work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    meter.requests++;
    try {
      return await within(
        { ms: patience.commandMs, late: () => lateError(server), signal },
        (late) => raced(client, work, late),
      );
    } catch (error) {
      return explain(isOnlyBroken(error) ? (broke() ?? error) : error);
    } finally {
      meter.bytes += client.stats(true).received;
    }
  }

  const open = async (path: string) =>
    stateOf(await ask(() => client.mailboxOpen(path, { readOnly: true })));

  return {
    list: () => ask(() => client.list({ statusQuery: STATUS })),
    foreignPrefixes: foreignPrefixes(client),
    open,
    async stayIn(path) {
      const { mailbox } = client;
      return mailbox && mailbox.path === path ? stateOf(mailbox) : open(path);
    },
    async uids(since) {
      const query = since === undefined ? { all: true } : { since };
      const found = await ask(() => client.search(query, { uid: true, returnOptions: ['ALL'] }));
      // The library swallows the reason.
      if (!found)
        throw new SourceError(
          'transient',
          `${server.address} does not list the messages of a folder`,
        );
      if (Array.isArray(found)) return found;
      const most = client.mailbox ? client.mailbox.exists : 0;
      return [...fromRanges(found.all ?? '').take(most)].toSorted((a, b) => a - b);
    },
    askFor: (uids, query) => ask(() => client.fetchAll([...uids], query, { uid: true })),
    async download({ uid, part }, take) {
      // An error of the caller must stay as it is.
      const refused = await ask(async () => {
        const { content } = await client.download(String(uid), part, {
          uid: true,
          chunkSize: CHUNK_BYTES,
        });
        if (!content) throw new SourceError('skip', 'the message is no longer in its folder');
        for await (const piece of content) {
          const failed = await take(piece).then(
            () => null,
            (error: unknown) => ({ error }),
          );
          if (failed) return failed;
        }
        return null;
      });
      if (refused) throw refused.error;
    },
    get isUsable() {
      return client.usable;
    },
    async close() {
      signal.removeEventListener('abort', stop);
      await raced(client, () => client.logout(), AbortSignal.timeout(CLOSE_MS)).catch(() => {});
      client.close();
    },
  };
}

const stateOf = ({ path, uidValidity, uidNext, exists }: MailboxObject): OpenMailbox => ({
  path,
  validity: String(uidValidity),
  next: uidNext,
  exists,
});

const STATUS = { messages: true, uidNext: true, uidValidity: true };

const foreignPrefixes = ({ namespaces }: ImapFlow): string[] =>
  [...(namespaces?.other || []), ...(namespaces?.shared || [])]
    .map(({ prefix }) => prefix)
    .filter((prefix) => prefix !== '');

const isOnlyBroken = (error: unknown): boolean =>
  ['NoConnection', 'EConnectionClosed'].includes((error as NodeJS.ErrnoException).code ?? '');

const lateError = ({ address }: AskedServer) =>
  new SourceError('transient', `${address} takes too long to answer`);

/** Closes the connection when the signal aborts, because the answer that is still coming would disturb later ones. */
async function raced<T>(client: ImapFlow, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => {
    client.close();
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
