import type { Kysely } from 'kysely';
import type { AuthProviders } from '../auth-providers/service.ts';
import type { Collections } from '../collections/service.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import type { SignInLinks } from '../sign-in/browser/links.ts';
import type { SignInDeps } from '../sign-in/open-source.ts';
import type { StorePush, Syncs } from '../syncs/service.ts';
import type { Transformers } from '../transformers/service.ts';

export interface ConnectionDeps extends SignInDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly collections: Collections;
  readonly authProviders: Pick<AuthProviders, 'resolve' | 'lock'>;
  readonly syncs: Syncs;
  readonly transformers: Pick<Transformers, 'checkConfigured' | 'lockChecked'>;
  readonly links: SignInLinks;
  readonly storePush: StorePush;
}
