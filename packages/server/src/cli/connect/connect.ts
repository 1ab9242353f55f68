/**
 * `quarry connect` leads a person from a source to its first sync: sign in, settings, collection. Flags answer what they
 * can; the rest is asked at a terminal. Nothing is made before all is answered, and a command that does not come to its
 * end removes what it has made.
 */
import type { Config } from '../../config.ts';
import type { SourceConnection } from '../../connections/schema.ts';
import type { SourceType } from '../../sources/schema.ts';
import type { SourceConnectionJob } from '../../syncs/schema.ts';
import { didYouMean } from '../did-you-mean.ts';
import { connectionPath, followSync, INTERRUPTED } from '../follow-sync.ts';
import { plain } from '../live-line.ts';
import { runningService, type ServiceClient, ServiceRefused } from '../service-client.ts';
import { askWay } from './ask-way.ts';
import { chooseCollection, collectionOfFlags } from './collection.ts';
import type { Connecting } from './connecting.ts';
import { longEnough } from './connection-name.ts';
import { createFrom } from './create.ts';
import { type ConnectFlags, readGiven, requireGiven, wayOfFlags } from './given.ts';
import { interview } from './interview.ts';
import { rememberMade } from './made-things.ts';
import { signInInBrowser, tellClient } from './sign-in.ts';
import { listenToSignals } from './signals.ts';
import { Interrupted, openTerminal } from './terminal.ts';
import { type SignInWay, waysOf } from './ways.ts';

interface Connected {
  readonly connection: SourceConnection;
  /** It is null for a source that is not pulled. */
  readonly jobId: string | null;
}

/** Returns the exit code: that of the first sync, 0 when there is none, and 130 after Ctrl-C. */
export async function connect(
  config: Config,
  shortName: string,
  flags: ConnectFlags,
): Promise<number> {
  const service = runningService(config);
  const source = await sourceOf(service, shortName);
  const { stop, hurry, ...signals } = listenToSignals(process, () => performance.now());
  const terminal = canAsk(flags) ? openTerminal(process.stdin, process.stderr, stop) : null;
  const made = rememberMade(service);
  const shared = { service, source, terminal, flags, made, stop: stop.signal, tell };
  let connected: Connected;
  try {
    connected = await makeConnection(shared);
    stop.signal.throwIfAborted();
  } catch (error) {
    terminal?.close();
    const left = await made.remove(hurry);
    tell(...left);
    if (!(error instanceof Interrupted)) throw error;
    tell(left.length === 0 ? 'interrupted: nothing is connected' : 'interrupted');
    return INTERRUPTED;
  } finally {
    terminal?.close();
    signals.close();
  }
  return finish(shared, connected);
}

/** Throws an Error that names the existing sources when the source is not one of them. */
async function sourceOf(service: ServiceClient, shortName: string): Promise<SourceType> {
  try {
    return await service.call<SourceType>('GET', `/v1/sources/${encodeURIComponent(shortName)}`);
  } catch (error) {
    if (!(error instanceof ServiceRefused && error.status === 404)) throw error;
    const sources = await service.call<SourceType[]>('GET', '/v1/sources');
    const names = sources.map(({ short_name }) => short_name);
    throw new Error(
      `the source '${shortName}' does not exist${didYouMean(shortName, names)}: 'quarry list sources' names all ${names.length}`,
      { cause: error },
    );
  }
}

const tell = (...lines: readonly string[]) => {
  for (const line of lines) process.stderr.write(`${plain(line)}\n`);
};

/** Programs that read JSON, and those without a terminal, cannot answer. */
const canAsk = ({ json, secretFile }: ConnectFlags): boolean =>
  !json &&
  process.stdin.isTTY &&
  process.stderr.isTTY &&
  !secretFile.some((text) => text.endsWith('=-'));

async function makeConnection(connecting: Connecting): Promise<Connected> {
  const { service, source, terminal, flags } = connecting;
  tell(`${source.name}: ${source.description}`);
  const existing = await collectionOfFlags(connecting);
  const way = wayOfFlags(source, flags) ?? (await chooseWay(connecting));
  const given = await readGiven(source, way, flags);
  if (!terminal) requireGiven(source, { way, given, flags });
  if (way === 'browser') tellClient(connecting);
  const draft = {
    ...given,
    way,
    clientId: flags.clientId,
    name: flags.name ?? longEnough(source.name, 'source'),
  };
  // Who has named a folder or an address has said enough.
  if (terminal && !flags.given) await interview(connecting, terminal, draft);
  const collection = existing ?? (await chooseCollection(connecting));
  const created = await createFrom(connecting, draft, collection);
  if (way !== 'browser') return { connection: created, jobId: created.sync.last_job?.id ?? null };
  const connection = await signInInBrowser(connecting, draft, created);
  if (source.federated_search) return { connection, jobId: null };
  const run = `${connectionPath(connection.id)}/run`;
  return { connection, jobId: (await service.call<SourceConnectionJob>('POST', run)).id };
}

async function chooseWay({ source, terminal }: Connecting): Promise<SignInWay | null> {
  const ways = waysOf(source);
  const [first = null] = ways;
  if (ways.length <= 1) return first;
  if (!terminal)
    throw new Error(`say how to sign in to ${source.name}: --sign-in ${ways.join(' or ')}`);
  return askWay(terminal, ways);
}

/** Says why no sync follows. */
const withoutSync = ({ federated_search }: SourceType, id: string): string =>
  federated_search
    ? 'Searches ask it at once, so no sync copies it.'
    : `Your own programs send its records: POST ${connectionPath(id)}/entities`;

/** Shows the first sync, and prints the connection for programs. */
async function finish(
  { service, source, flags: { json } }: Connecting,
  { connection: { id, name, readable_collection_id }, jobId }: Connected,
): Promise<number> {
  tell('', `Connected '${name}' (${id}) to the collection ${readable_collection_id}.`);
  if (jobId === null) tell(withoutSync(source, id));
  const out = json ? process.stderr : process.stdout;
  const again = `run 'quarry sync ${id}'`;
  const code =
    jobId === null ? 0 : await followSync(service, { connectionId: id, jobId, out, again });
  if (json) {
    const shown = await service.call<SourceConnection>('GET', connectionPath(id));
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  }
  return code;
}
