/** Who is asking, and on whose behalf: the first parameter of every service function. */
import type { Logger } from 'pino';

export const ROLES = ['read', 'member', 'admin'] as const;
/** Each role may do what the ones before it may. */
export type Role = (typeof ROLES)[number];

export interface Ctx {
  readonly organization: {
    readonly id: string;
    readonly features: ReadonlySet<string>;
    readonly quotas: Readonly<Record<string, number | null>>;
  };
  /** The account behind the key: created_by_email of what it makes. */
  readonly account: { readonly id: string; readonly email: string };
  readonly role: Role;
  /** The principal as whom everything is searched, where a person asks and not a key. */
  readonly person?: string;
  readonly log: Logger;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}
