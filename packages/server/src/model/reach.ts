/** Says what a caller may find: everything of its organization, or only what lies in some of its collections. */
export interface Reach {
  readonly organizationId: string;
  /** These are ids; null stands for all collections. */
  readonly collections: readonly string[] | null;
}

export const reachOf = (caller: {
  readonly organization: { readonly id: string };
  readonly collections: readonly string[] | null;
}): Reach => ({ organizationId: caller.organization.id, collections: caller.collections });
