/** Restores the earlier file of a client, or removes only the entry. */
import type { AssistantClient } from './clients.ts';
import { readConfigFile, write } from './config-file.ts';
import { editedText, entryIn } from './edit.ts';
import {
  type FileChange,
  fileOf,
  type InstallContext,
  type InstallFlags,
  inFile,
} from './file-change.ts';
import { forget, undoOf } from './undo.ts';

export function undoChange(
  client: AssistantClient,
  flags: InstallFlags,
  { machine, say }: Pick<InstallContext, 'machine' | 'say'>,
): FileChange {
  const path = fileOf(client, flags, machine);
  const before = readConfigFile(path);
  if (!flags.onlyEntry) {
    const undo = undoOf(path);
    if (!undo)
      throw new Error(
        `there is nothing to undo in ${path}: --undo --only-entry takes out an entry '${flags.name}'`,
      );
    const checkAndReport = async () => say(`${client.title} is as it was before\n`);
    return { client, path, before, after: undo.text, perform: undo.perform, checkAndReport };
  }
  if (!before || inFile(path, () => entryIn(client, before.text, flags.name)) === undefined)
    throw new Error(`${path} has no entry '${flags.name}'`);
  const after = inFile(path, () =>
    editedText(client, before.text, { name: flags.name, entry: undefined }),
  );
  return {
    client,
    path,
    before,
    after,
    perform() {
      write(path, { bytes: Buffer.from(after), before });
      forget(path);
    },
    checkAndReport: async () => say(`${client.title} has no entry '${flags.name}' any more\n`),
  };
}
