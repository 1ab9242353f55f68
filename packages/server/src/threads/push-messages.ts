/** These are the messages between the API's thread and the thread that stores pushes. */
import type { PushOrder } from '../syncs/pushes/intake.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import type { CarriedError } from './carried-error.ts';

export interface PushCall {
  readonly id: number;
  readonly order: PushOrder;
}

export type PushReply =
  | { readonly id: number; readonly job: SourceConnectionJob }
  | { readonly id: number; readonly error: CarriedError };
