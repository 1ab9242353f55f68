/** The reach of a caller is everything in its organization, or only some of its collections. */
export interface Reach {
  readonly organizationId: string;
  /** These are the ids of the collections; null means all collections. */
  readonly collections: readonly string[] | null;
}

export const reachOf = (caller: {
  readonly organization: { readonly id: string };
  readonly collections: readonly string[] | null;
}): Reach => ({ organizationId: caller.organization.id, collections: caller.collections });
