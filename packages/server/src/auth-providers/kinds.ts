/** The kinds of auth providers. The rest of the code uses them through functions whose types are those of no kind. */
import type { AuthProviderName } from '../model/auth-provider.ts';
import type { ProviderKind } from './kind.ts';
import { composio } from './kinds/composio.ts';
import { custom } from './kinds/custom.ts';
import { nango } from './kinds/nango.ts';
import { pipedream } from './kinds/pipedream.ts';

export type AnyProviderKind = ProviderKind<unknown, unknown>;

const KINDS = { custom, nango, composio, pipedream };

export const kindOf = (name: AuthProviderName): AnyProviderKind =>
  KINDS[name] as unknown as AnyProviderKind;
