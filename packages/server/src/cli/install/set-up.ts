/**
 * Writes the entry of the tool server into the file of a client, and checks that the server answers through that entry.
 */
import { KEY_TO_COME, makeKey, mayMakeKeys, type RecordedKey, revoked } from './assistant-key.ts';
import type { AssistantClient } from './clients.ts';
import { readConfigFile } from './config-file.ts';
import { hostedConnection, localCommand, localConnection } from './connection.ts';
import { editedText, entryIn } from './edit.ts';
import {
  type FileChange,
  fileOf,
  type InstallContext,
  type InstallFlags,
  inFile,
} from './file-change.ts';
import { checkTarget, targetOf } from './target.ts';
import { tryEntry } from './try-entry.ts';
import { keyIn, writeWithBackup } from './undo.ts';

interface PlannedEntry extends Pick<FileChange, 'path' | 'before'> {
  /** Returns the text of the file with an entry that has this key. */
  readonly textWith: (key: string) => string;
}

export async function setUpChange(
  flags: InstallFlags,
  { machine, say }: Pick<InstallContext, 'machine' | 'say'>,
): Promise<(client: AssistantClient) => FileChange> {
  const target = targetOf(flags, machine.env);
  await checkTarget(target);
  const makesKeys = await mayMakeKeys(target);
  const connectionBy = (key: string) =>
    flags.hosted
      ? hostedConnection({ ...target, key })
      : localConnection({ ...target, key }, localCommand());
  return (client) => {
    const path = fileOf(client, flags, machine);
    const before = readConfigFile(path);
    const textWith = (key: string) =>
      inFile(path, () => {
        const entry = client.entry(connectionBy(key));
        return editedText(client, before?.text ?? '', { name: flags.name, entry });
      });
    return {
      client,
      path,
      before,
      after: textWith(makesKeys ? KEY_TO_COME : target.key),
      perform: () => perform(client, { path, before, textWith }),
      checkAndReport: () => report(client, path),
    };
  };

  /** Makes the key of the entry, writes the entry, and revokes the key that an earlier run has made for it. */
  async function perform(
    client: AssistantClient,
    { path, before, textWith }: PlannedEntry,
  ): Promise<void> {
    const earlier = keyIn(path, flags.name);
    const own = makesKeys ? await makeKey(target, client, flags.name) : { key: target.key };
    const { made } = own;
    try {
      const copy = writeWithBackup(path, textWith(own.key), { before, name: flags.name, made });
      say(copy ? `written; a copy of the earlier file is ${copy}\n` : 'written\n');
    } catch (error) {
      if (made) await revoked(target, made);
      throw error;
    }
    say(
      made
        ? `the key '${made.name}' was made for it, which only reads\n`
        : 'your key was written into it, because only an admin key can make one that only reads\n',
    );
    if (before && before.mode & 0o077)
      say(`others on this machine may read the key in it: chmod 600 '${path}'\n`);
    if (earlier) await replace(earlier);
  }

  async function replace(earlier: RecordedKey): Promise<void> {
    const isGone = await revoked(target, earlier);
    say(
      isGone
        ? 'the key of the entry before was revoked\n'
        : `the key '${earlier.name}' of the entry before still works at ${earlier.address}: revoke it there\n`,
    );
  }

  /** Reads the entry from the file again and checks it, because the client will read it from there, too. */
  async function report(client: AssistantClient, path: string): Promise<void> {
    try {
      const { version, serves, tools } = await tryEntry(
        entryIn(client, readConfigFile(path)?.text ?? '', flags.name),
      );
      say(`it answers: version ${version} serves ${serves} with `);
      say(`${tools.length} tools: ${tools.join(', ')}\nrestart ${client.title} to use it\n`);
    } catch (error) {
      throw new Error(
        `${client.title} was set up, but gets no answer: ${(error as Error).message}\nrepair that and run the command again, or undo the change with --undo`,
        { cause: error },
      );
    }
  }
}
