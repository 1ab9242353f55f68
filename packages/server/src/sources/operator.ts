/** The operator of the service may set these for a source. */
export interface SourceOperator {
  /** Signs in at the provider as this OAuth client, unless the user brings one. */
  readonly client?: { readonly id: string; readonly secret: string | null } | undefined;
  /** These addresses replace the usual ones of the provider. */
  readonly authorizeUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
}
