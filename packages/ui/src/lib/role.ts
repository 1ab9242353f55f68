/** The roles of the API, from the least to the most. */
const ROLES = ['read', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const isAtLeast = (role: Role, least: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(least);

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  read: 'Reader',
  member: 'Member',
  admin: 'Admin',
};

/** Each stands in a sentence such as "invited you as a member". */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  read: 'a reader',
  member: 'a member',
  admin: 'an admin',
};

export const ROLE_CHOICES = [
  { value: 'read', label: 'Reader: searches and looks' },
  { value: 'member', label: 'Member: also connects sources and runs syncs' },
  { value: 'admin', label: 'Admin: also keys, members and settings' },
] as const;
