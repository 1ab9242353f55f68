/** What one client's file is, and what it shall become. */
import type { AssistantClient, ClientMachine } from './clients.ts';
import type { ConfigFile } from './config-file.ts';
import type { TargetFlags } from './target.ts';

export interface InstallFlags extends TargetFlags {
  /** Of the entry. */
  readonly name: string;
  readonly hosted?: boolean;
  readonly file?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly onlyEntry?: boolean;
}

export interface FileChange {
  readonly client: AssistantClient;
  readonly path: string;
  /** Undefined: there is no file. */
  readonly before: ConfigFile | undefined;
  /** Undefined: there shall be none. */
  readonly after: string | undefined;
  /** Writes it. */
  readonly perform: () => void;
  /** Says what became of it. Throws an Error with a sentence when it does not work. */
  readonly conclude: () => Promise<void>;
}

export const fileOf = (
  client: AssistantClient,
  flags: InstallFlags,
  around: ClientMachine,
): string => flags.file ?? client.file(around);

/** What is wrong with a text is said with its path. */
export function inFile<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
