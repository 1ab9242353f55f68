/**
 * Writes the entry of the tool server into the file of a client, and checks that the server answers through that entry.
 */
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
import { targetOf } from './target.ts';
import { tryEntry } from './try-entry.ts';
import { writeWithBackup } from './undo.ts';

export async function setUpChange(
  flags: InstallFlags,
  { machine, say }: Pick<InstallContext, 'machine' | 'say'>,
): Promise<(client: AssistantClient) => FileChange> {
  const target = await targetOf(flags, machine.env);
  const connection = flags.hosted
    ? hostedConnection(target)
    : localConnection(target, localCommand());
  return (client) => {
    const path = fileOf(client, flags, machine);
    const before = readConfigFile(path);
    const entry = client.entry(connection);
    const after = inFile(path, () =>
      editedText(client, before?.text ?? '', { name: flags.name, entry }),
    );
    return {
      client,
      path,
      before,
      after,
      perform() {
        const copy = writeWithBackup(path, after, before);
        say(copy ? `written; a copy of the earlier file is ${copy}\n` : 'written\n');
        if (before && before.mode & 0o077)
          say(`others on this machine may read the key in it: chmod 600 '${path}'\n`);
      },
      checkAndReport: () => report(client, path),
    };
  };

  /** Reads the entry from the file again and checks it, because the client will read it from there, too. */
  async function report(client: AssistantClient, path: string): Promise<void> {
    try {
      const { version, collection, collectionName, tools } = await tryEntry(
        entryIn(client, readConfigFile(path)?.text ?? '', flags.name),
      );
      say(`it answers: version ${version} serves '${collectionName}' (${collection}) with `);
      say(`${tools.length} tools: ${tools.join(', ')}\nrestart ${client.title} to use it\n`);
    } catch (error) {
      throw new Error(
        `${client.title} was set up, but gets no answer: ${(error as Error).message}\nrepair that and run the command again, or undo the change with --undo`,
        { cause: error },
      );
    }
  }
}
