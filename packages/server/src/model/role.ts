/** This list has the roles of keys and memberships. Each role may do what the roles before it may do. */
export const ROLES = ['read', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];
