/** These types describe an installation and the change that it makes to the file of one client. */
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
  readonly perform: () => void | Promise<void>;
  /**
   * Checks the result and prints it. Throws an Error with a message for users when the client will not get an answer
   * from the tool server.
   */
  readonly checkAndReport: () => Promise<void>;
}

/** Returns the path that the user has given, or else the usual path of the client's file. */
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
