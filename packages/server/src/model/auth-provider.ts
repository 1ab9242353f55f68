/** Services that keep the credentials of people for others. `custom` is one that speaks the protocol of docs/auth-providers.md. */
export const AUTH_PROVIDERS = ['custom', 'nango', 'composio', 'pipedream'] as const;
export type AuthProviderName = (typeof AUTH_PROVIDERS)[number];
