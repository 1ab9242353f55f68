/** The steps of `quarry connect` share these. */
import type { SourceType } from '../../sources/schema.ts';
import type { ServiceClient } from '../service-client.ts';
import type { GivenValues } from './fields.ts';
import type { ConnectFlags } from './given.ts';
import type { MadeThings } from './made-things.ts';
import type { Terminal } from './terminal.ts';
import type { SignInWay } from './ways.ts';

export interface Connecting {
  readonly service: ServiceClient;
  readonly source: SourceType;
  /** It is null when nobody can be asked. */
  readonly terminal: Terminal | null;
  readonly flags: ConnectFlags;
  readonly made: MadeThings;
  /** Ctrl-C aborts it with an Interrupted. */
  readonly stop: AbortSignal;
  /** Prints lines for a person to standard error. */
  readonly tell: (...lines: readonly string[]) => void;
}

/** The connection as it is known so far. */
export interface ConnectionDraft {
  /** It is null for a source that needs no sign-in. */
  readonly way: SignInWay | null;
  readonly credentials: GivenValues;
  readonly config: GivenValues;
  clientId: string | undefined;
  clientSecret: string | undefined;
  name: string;
}
