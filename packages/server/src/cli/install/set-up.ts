/** Puts the entry of the tool server into the file of a client, and asks the server through that entry. */
import type { AssistantClient } from './clients.ts';
import { look } from './config-file.ts';
import { hostedConnection, localCommand, localConnection } from './connection.ts';
import { edited, entryIn } from './edit.ts';
import { type FileChange, fileOf, type InstallContext, type InstallFlags, inFile } from './plan.ts';
import { prove } from './prove.ts';
import { targetOf } from './target.ts';
import { writeWithBackup } from './undo.ts';

export async function settingUp(
  flags: InstallFlags,
  { machine, say }: Pick<InstallContext, 'machine' | 'say'>,
): Promise<(client: AssistantClient) => FileChange> {
  const target = await targetOf(flags, machine.env);
  const connection = flags.hosted
    ? hostedConnection(target)
    : localConnection(target, localCommand());
  return (client) => {
    const path = fileOf(client, flags, machine);
    const before = look(path);
    const entry = client.entry(connection);
    const after = inFile(path, () =>
      edited(client, before?.text ?? '', { name: flags.name, entry }),
    );
    return {
      client,
      path,
      before,
      after,
      perform() {
        const copy = writeWithBackup(path, after, before);
        say(copy ? `written; the file before is ${copy}\n` : 'written\n');
        if (before && before.mode & 0o077)
          say(`others on this machine may read the key in it: chmod 600 '${path}'\n`);
      },
      conclude: () => report(client, path),
    };
  };

  /** The report is about the entry that the file holds now, because the client will use that one. */
  async function report(client: AssistantClient, path: string): Promise<void> {
    try {
      const { version, collection, collectionName, tools } = await prove(
        entryIn(client, look(path)?.text ?? '', flags.name),
      );
      say(`asked it: version ${version} serves '${collectionName}' (${collection}) with `);
      say(`${tools.length} tools: ${tools.join(', ')}\nrestart ${client.title} to use it\n`);
    } catch (error) {
      throw new Error(
        `${client.title} was set up, but gets no answer: ${(error as Error).message}\nrepair that and run the command again, or undo the change with --undo`,
        { cause: error },
      );
    }
  }
}
