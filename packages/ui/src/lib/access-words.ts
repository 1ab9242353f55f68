/** Says in words who may see a record, and why somebody may or may not. */
import type { Schemas } from '../api/client.ts';

type Access = Schemas['EntityAccess'];

/** "user:ann@example.com" is a person, and "group:github/acme" is a group. */
export function principalParts(principal: string): { isGroup: boolean; name: string } {
  const [kind = '', ...rest] = principal.split(':');
  return { isGroup: kind === 'group', name: rest.join(':') };
}

/** People type an e-mail address, or a principal with its kind. The service says which kinds it knows. */
export function principalOf(typed: string): string {
  const text = typed.trim();
  return text.includes(':') ? text : `user:${text}`;
}

export const everybodyMaySee = ({ viewers, is_public }: Access): string | null => {
  if (viewers === null)
    return 'Everybody who may search this collection: its source restricts nothing.';
  if (is_public) return 'Everybody who may search this collection: it is public at its source.';
  return viewers.length === 0 ? 'Nobody: its source names no viewer.' : null;
};

export function answerOf({
  principal,
  may_see,
  reason,
  through,
}: NonNullable<Access['asked']>): string {
  const { name } = principalParts(principal);
  const sees = `${name} ${may_see ? 'sees' : 'does not see'} this record`;
  switch (reason) {
    case 'named':
      return `${sees}: it names this principal.`;
    case 'group':
      return `${sees}, as a member of ${through.map((group) => principalParts(group).name).join(', ')}.`;
    case 'public':
      return `${sees}: it is public.`;
    case 'unrestricted':
      return `${sees}: its source restricts nothing.`;
    case 'none':
      return `${sees}: it names neither this principal nor one of its groups.`;
  }
}
