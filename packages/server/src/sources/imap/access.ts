/** A mailbox is personal: only its owner finds its messages, or the people whom the owner has named. */
import type { Access } from '../../model/entity.ts';
import type { ImapConfig, ImapCredentials } from './settings.ts';

/** Nobody but keys without a person finds the messages of an account whose name is not an e-mail address. */
export function accessOf({ viewers }: ImapConfig, { user }: ImapCredentials): Access {
  const people = viewers ?? (/^[^@\s]+@[^@\s]+$/.test(user) ? [user] : []);
  return { viewers: people.map((person) => `user:${person.toLowerCase()}`), isPublic: false };
}
