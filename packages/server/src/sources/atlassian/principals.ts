/**
 * Says who may find a record, as principals. People are known by their e-mail address. Atlassian does not tell the
 * address of everybody, and somebody without one is named nowhere.
 */
import { z } from 'zod';
import type { Access } from '../../model/entity.ts';
import { flag, text } from '../kit/lenient.ts';

/** All active people of a site. No group of Atlassian has an id of this form. */
export const EVERYONE = 'group:everyone';
export const groupOf = (id: string): string => `group:${id}`;

/** Nobody may find it. This is the access of what cannot be read. */
export const NOBODY: Access = { viewers: [], isPublic: false };

export const AtlassianUser = z.object({
  accountId: text,
  accountType: text,
  emailAddress: text,
  displayName: text,
  active: flag,
});
export type AtlassianUser = z.output<typeof AtlassianUser>;

/** Returns undefined for somebody who has left, for an app, and when the address is not told. */
export const userOf = ({ active, accountType, emailAddress }: AtlassianUser): string | undefined =>
  active && accountType === 'atlassian' && emailAddress !== ''
    ? `user:${emailAddress.toLowerCase()}`
    : undefined;

export const accessFor = (viewers: Iterable<string>, { isPublic = false } = {}): Access => ({
  viewers: [...new Set(viewers)].toSorted(),
  isPublic,
});
