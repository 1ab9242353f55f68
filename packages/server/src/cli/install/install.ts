/**
 * `quarry mcp install` shows how it will change the files of clients, changes them, and checks that the server answers.
 */
import { type AssistantClient, CLIENTS } from './clients.ts';
import { diff } from './diff.ts';
import { secretsIn } from './edit.ts';
import type { FileChange, InstallContext, InstallFlags } from './file-change.ts';
import { overview } from './overview.ts';
import { setUpChange } from './set-up.ts';
import { undoChange } from './take-back.ts';

/**
 * Reads all files before it changes the first one, and changes none when one of them cannot be changed. Throws an Error
 * with a message for users, also when a client that was set up gets no answer.
 */
export async function install(
  names: readonly string[],
  flags: InstallFlags,
  context: InstallContext,
): Promise<void> {
  const { machine, say, confirm } = context;
  checkFlags(names, flags);
  const clients = [...new Set(names)].map(clientNamed);
  if (clients.length === 0) return say(overview(flags.name, machine));
  const changeOf = flags.undo
    ? (client: AssistantClient) => undoChange(client, flags, context)
    : await setUpChange(flags, context);
  const changes = clients.map(changeOf);
  for (const change of changes) say(withDiff(change));
  if (flags.dryRun) return;
  if (changes.some(changesFile) && !flags.yes && !(await confirm('Write it?')))
    return say('nothing was changed\n');
  for (const change of changes) {
    if (changesFile(change)) await change.perform();
    await change.checkAndReport();
  }
}

function checkFlags(names: readonly string[], flags: InstallFlags): void {
  if (flags.undo && names.length === 0) throw new Error('--undo: name the clients to undo');
  if (flags.onlyEntry && !flags.undo)
    throw new Error('--only-entry works only together with --undo');
  if (flags.file !== undefined && names.length !== 1)
    throw new Error('--file is the file of one client: name that client');
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(flags.name))
    throw new Error('--name takes up to 40 characters of A-Z a-z 0-9 - _');
}

function clientNamed(id: string): AssistantClient {
  const found = CLIENTS.find((client) => client.id === id);
  if (found) return found;
  throw new Error(
    `client '${id}' is not known: give one of ${CLIENTS.map((client) => client.id).join(', ')}`,
  );
}

const changesFile = ({ before, after }: FileChange): boolean => before?.text !== after;

function withDiff(change: FileChange): string {
  const { client, path, before, after } = change;
  const head = `${client.title}: ${path}\n`;
  if (!changesFile(change)) return `${head}  nothing to change\n`;
  const texts = [before?.text, after].filter((text) => text !== undefined);
  const secrets = texts.flatMap((text) => secretsIn(client, text));
  const end = after === undefined ? '  and the file is removed\n' : '';
  return head + diff(before?.text ?? '', after ?? '', secrets) + end;
}
