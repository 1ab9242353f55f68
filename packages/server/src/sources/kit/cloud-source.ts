/**
 * Defines a source that asks a service over HTTP. Its functions get `ctx.http`, which signs, repeats and limits
 * requests as `auth` and `api` say. They get neither credentials nor another way to the network.
 */
import type { Entity } from '../../model/entity.ts';
import { type CloudApi, placeOf } from '../api.ts';
import {
  defineSource,
  type FieldOption,
  type MembershipItem,
  type OptionsRequest,
  type PullContext,
  type Source,
  type SourceContext,
  type SourceSpec,
} from '../define.ts';
import type { BelowList, LeftOut, SourceItem, Stub, Upsert } from '../items.ts';
import { type Http, openHttp } from './http.ts';

type Hidden =
  | 'credentials'
  | 'send'
  | 'authorizer'
  | 'downloads'
  | 'allowHost'
  | 'allowService'
  | 'sendToProvider'
  | 'allowPath'
  | 'ownFiles'
  | 'operatorBaseUrl';

type CloudContext<Config> = Omit<SourceContext<Config, unknown>, Hidden> & {
  readonly http: Http;
  /** If true, the connection signs in by direct credentials, and otherwise by a token of OAuth or a provider. */
  readonly isDirect: boolean;
};
type CloudPullContext<Config, Cursor> = Omit<PullContext<Config, unknown, Cursor>, Hidden> &
  CloudContext<Config>;

type SourceFunctions =
  | 'account'
  | 'check'
  | 'pull'
  | 'hydrate'
  | 'below'
  | 'search'
  | 'members'
  | 'groupScope'
  | 'options';

export interface CloudSpec<Config, Credentials, Cursor>
  extends Omit<SourceSpec<Config, Credentials, Cursor>, SourceFunctions> {
  readonly api: CloudApi<Config>;
  /** Asks for the account, which also shows that the service accepts the signature. */
  account(ctx: CloudContext<Config>): Promise<string>;
  /** A source that needs more than the account checks it here, after the account. */
  check?(ctx: CloudContext<Config>): Promise<void>;
  pull?(ctx: CloudPullContext<Config, Cursor>): AsyncGenerator<SourceItem, void, void>;
  hydrate?(ctx: CloudContext<Config>, stubs: readonly Stub[]): AsyncIterable<Upsert | LeftOut>;
  below?(ctx: CloudContext<Config>, stubs: readonly Stub[]): AsyncIterable<BelowList | LeftOut>;
  search?(ctx: CloudContext<Config>, query: string, limit: number): Promise<readonly Entity[]>;
  members?(ctx: CloudContext<Config>): AsyncIterable<MembershipItem>;
  groupScope?(ctx: CloudContext<Config>): Promise<string>;
  /**
   * A field that is a part of the service's address has no options, because the service cannot be asked before its
   * address is known.
   */
  options?(
    ctx: CloudContext<Partial<Config>>,
    request: OptionsRequest,
  ): Promise<readonly FieldOption[]>;
}

export function cloudSource<Config, Credentials, Cursor>(
  spec: CloudSpec<Config, Credentials, Cursor>,
): Source {
  const { account, check, pull, hydrate, below, search, members, groupScope, options, ...data } =
    spec;
  const { baseUrl: _, alsoAt: __, ...api } = data.api;
  const withHttp = <Context extends SourceContext<Config, Credentials>>(ctx: Context) => {
    const isDirect = ctx.credentials !== null;
    const place = placeOf(data.api, { ...ctx, isDirect });
    return { ...ctx, isDirect, http: openHttp(ctx, { ...api, ...place }) };
  };
  return defineSource<Config, Credentials, Cursor>({
    ...data,
    account: (ctx) => account(withHttp(ctx)),
    ...(check && { check: (ctx) => check(withHttp(ctx)) }),
    ...(pull && { pull: (ctx) => pull(withHttp(ctx)) }),
    ...(hydrate && { hydrate: (ctx, stubs) => hydrate(withHttp(ctx), stubs) }),
    ...(below && { below: (ctx, stubs) => below(withHttp(ctx), stubs) }),
    ...(search && { search: (ctx, query, limit) => search(withHttp(ctx), query, limit) }),
    ...(members && { members: (ctx) => members(withHttp(ctx)) }),
    ...(groupScope && { groupScope: (ctx) => groupScope(withHttp(ctx)) }),
    ...(options && {
      // Some settings may still be missing. But the kit needs only those that are parts of the address, and these are
      // set.
      options: (ctx, request) =>
        options(withHttp(ctx as SourceContext<Config, Credentials>), request),
    }),
  });
}
