/** Restores the earlier file of a client, or removes only the entry. */
import { type RecordedKey, revoked } from './assistant-key.ts';
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
import { type InstallTarget, targetOf } from './target.ts';
import { forgetEntry, keyIn, keysIn, undoOf } from './undo.ts';

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
    const { text = '' } = undo;
    // The file as it was may have an entry that an earlier installation has made, and that still needs its key.
    const useless = [...keysIn(path)].filter(
      ([name]) => inFile(path, () => entryIn(client, text, name)) === undefined,
    );
    return {
      ...{ client, path, before, after: undo.text, perform: undo.perform },
      async checkAndReport() {
        say(`${client.title} is as it was before\n`);
        await revokeAll(useless.map(([, key]) => key));
      },
    };
  }
  if (!before || inFile(path, () => entryIn(client, before.text, flags.name)) === undefined)
    throw new Error(`${path} has no entry '${flags.name}'`);
  const after = inFile(path, () =>
    editedText(client, before.text, { name: flags.name, entry: undefined }),
  );
  const key = keyIn(path, flags.name);
  return {
    client,
    path,
    before,
    after,
    perform() {
      write(path, { bytes: Buffer.from(after), before });
      forgetEntry(path, flags.name, after);
    },
    async checkAndReport() {
      say(`${client.title} has no entry '${flags.name}' any more\n`);
      await revokeAll(key ? [key] : []);
    },
  };

  /** The file is as it was, so the keys are useless. Without a key of an admin, the user has to revoke them. */
  async function revokeAll(keys: readonly RecordedKey[]): Promise<void> {
    for (const made of keys) {
      const isGone = await inTarget((target) => revoked(target, made));
      say(
        isGone
          ? `the key '${made.name}' was revoked\n`
          : `the key '${made.name}' still works at ${made.address}: revoke it there\n`,
      );
    }
  }

  async function inTarget(act: (target: InstallTarget) => Promise<boolean>): Promise<boolean> {
    try {
      return await act(targetOf(flags, machine.env));
    } catch {
      // The undoing needs no service, so nobody has to hear of a missing key or a service that does not run.
      return false;
    }
  }
}
