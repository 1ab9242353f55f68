/** These types describe a change of one client's file: its text before and after. */
import type { AssistantClient, ClientMachine } from './clients.ts';
import type { ConfigFile } from './config-file.ts';
import type { TargetFlags } from './target.ts';

export interface InstallFlags extends TargetFlags {
  /** This is the name of the entry in the client's file. */
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
  /** Asks the user. Returns true when the user agrees. */
  readonly confirm: (question: string) => Promise<boolean>;
}

export interface FileChange {
  readonly client: AssistantClient;
  readonly path: string;
  /** This is undefined when the file does not exist. */
  readonly before: ConfigFile | undefined;
  /** This is undefined when the file will be removed. */
  readonly after: string | undefined;
  /** Writes or removes the file. */
  readonly perform: () => void;
  /**
   * Prints the result. Throws an Error with a message for users when the client would not get an answer from the
   * service.
   */
  readonly conclude: () => Promise<void>;
}

export const fileOf = (
  client: AssistantClient,
  flags: InstallFlags,
  machine: ClientMachine,
): string => flags.file ?? client.file(machine);

/** Runs `act` and puts the path of the file in front of the message of its error. */
export function inFile<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
