/** The tests use this part of oidc-provider, which has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Token {
    accountId?: string;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    rejectOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Interaction {
    prompt: { name: string };
    params: { client_id: string; login_hint?: string; resource: string };
    session?: { accountId: string };
  }

  // biome-ignore lint/style/noDefaultExport: this is how the package exports it
  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>;
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>;
    readonly Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => Grant;
    readonly AccessToken: { find(token: string): Promise<Token | undefined> };
    on(event: string, listener: (...args: never[]) => void): void;
  }
  export type { Token };
}
