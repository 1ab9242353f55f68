/** The steps of `quarry connect` share these. */
import type { SourceType } from '../../sources/schema.ts';
import type { ServiceClient } from '../service-client.ts';
import type { FieldValues } from './fields.ts';
import type { ConnectFlags } from './given.ts';
import type { MadeThings } from './made-things.ts';
import type { Terminal } from './terminal.ts';
import type { Way } from './ways.ts';

export interface Connecting {
  readonly service: ServiceClient;
  readonly source: SourceType;
  /** It is null when nobody can be asked. */
  readonly terminal: Terminal | null;
  readonly flags: ConnectFlags;
  readonly made: MadeThings;
  /** Is aborted by Ctrl-C, with an Interrupted. */
  readonly stop: AbortSignal;
  /** Prints lines for a person to standard error. */
  readonly tell: (...lines: readonly string[]) => void;
}

/** The connection as it is known so far. */
export interface Draft {
  /** It is null for a source that needs no sign-in. */
  readonly way: Way | null;
  readonly credentials: FieldValues;
  readonly config: FieldValues;
  clientId: string | undefined;
  clientSecret: string | undefined;
  name: string;
}
