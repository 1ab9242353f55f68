/** The context says who is asking, and on whose behalf: it is the first parameter of every service function. */
import type { Logger } from 'pino';
import type { AuditAction } from './model/audit.ts';
import type { Role } from './model/role.ts';
import type { Cause, Span } from './telemetry/trace.ts';

/** Says what a caller may do beyond its role, until when, and to which collections it is limited. */
export interface Rights {
  /** If true, the caller reaches every organization in which its account is an admin, and otherwise only its own. */
  readonly allOrganizations: boolean;
  /** If true, the caller may search on behalf of others (X-Principals), as an admin always may. */
  readonly searchAs: boolean;
  /** The key authenticates until this time, in milliseconds since 1970; with null it never expires. */
  readonly expiresAt: number | null;
  /** The caller reaches only the collections with these ids; with null it reaches all of its organization. */
  readonly collections: readonly string[] | null;
}

/** The caller has proved a role in an organization, and nothing beyond it. */
export const NO_RIGHTS: Rights = {
  allOrganizations: false,
  searchAs: false,
  expiresAt: null,
  collections: null,
};

export interface Ctx extends Rights {
  readonly organization: {
    readonly id: string;
    readonly features: ReadonlySet<string>;
    readonly quotas: Readonly<Record<string, number | null>>;
  };
  /** The key belongs to this account. Its e-mail becomes `created_by_email` of the objects that the caller creates. */
  readonly account: { readonly id: string; readonly email: string };
  readonly role: Role;
  /** When the caller is a person and not a key, every search runs as this principal. */
  readonly person?: string;
  /** When the caller has signed in to the dashboard, this is the id of the session. */
  readonly session?: string;
  /** The caller has proved its identity by this key, of whose value this is the hash. A person who has signed in has none. */
  readonly key?: { readonly id: string; readonly name: string; readonly hash: string };
  /** The caller has the key that the settings name for the operator, who belongs to no organization. */
  readonly isOperator?: true;
  /** The request came from this address of the network. */
  readonly address: string;
  /** The route does this, in the words of the audit log; null when it does nothing that the log records. */
  readonly action: AuditAction | null;
  readonly log: Logger;
  /** The signal aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** This is the id of the request, which its answer and the lines of the log have. */
  readonly requestId: string;
  readonly span: Span;
}

/** Returns what jobs and threads get from the request that causes their work. */
export const causeOf = ({ requestId, span }: Pick<Ctx, 'requestId' | 'span'>): Cause => ({
  requestId,
  trace: span.context,
});
