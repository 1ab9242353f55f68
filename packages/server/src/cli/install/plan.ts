/** A plan says what the file of one client is now, and what it shall become. */
import type { AssistantClient, ClientMachine } from './clients.ts';
import type { ConfigFile } from './config-file.ts';
import type { TargetFlags } from './target.ts';

export interface InstallFlags extends TargetFlags {
  /** The entry in the file of the client gets this name. */
  readonly name: string;
  readonly hosted?: boolean;
  readonly file?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly onlyEntry?: boolean;
}

export interface InstallContext {
  readonly machine: ClientMachine;
  readonly say: (text: string) => void;
  /** Returns true when the user wants to go on. */
  readonly confirm: (question: string) => Promise<boolean>;
}

export interface FileChange {
  readonly client: AssistantClient;
  readonly path: string;
  /** It is undefined when the file does not exist. */
  readonly before: ConfigFile | undefined;
  /** It is undefined when the file is to be removed. */
  readonly after: string | undefined;
  /** Makes the change in the file. */
  readonly perform: () => void;
  /** Tells the user the result. Throws an Error with a sentence when the client would not get an answer. */
  readonly conclude: () => Promise<void>;
}

export const fileOf = (
  client: AssistantClient,
  flags: InstallFlags,
  machine: ClientMachine,
): string => flags.file ?? client.file(machine);

/** An error about the text of a file gets the path of the file in front of its message. */
export function inFile<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
