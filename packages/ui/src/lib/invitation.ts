import type { Schemas } from '../api/client.ts';
import { sentenceOf } from './refusal.ts';
import { isOfThisMachine } from './this-machine.ts';

/** Returns how a person who made an invitation is called; undefined when nobody knows who it was. */
export function inviterName(
  by: Schemas['InvitationTerms']['invited_by'] | Schemas['Member']['invited_by'],
): string | undefined {
  return by ? (by.name ?? by.email ?? 'An administrator') : undefined;
}

interface InvitationWords {
  readonly tone: 'ok' | 'warn';
  readonly title: string;
  readonly text: string;
}

const LIMITS = 'The link works once, and for seven days.';
const ONLY_HERE =
  'It opens only on the machine that runs Quarry: set QUARRY_PUBLIC_URL to the address at which others reach it.';

/** Says whether the link of an invitation was mailed, and what is left to do with it. */
export function invitationWords({
  email,
  mail,
  invitation_url,
}: Pick<Schemas['Invitation'], 'email' | 'mail' | 'invitation_url'>): InvitationWords {
  const opensOnlyHere = isOfThisMachine(invitation_url);
  if (mail.status === 'failed')
    return {
      tone: 'warn',
      title: `${email} is invited, but the link was not mailed`,
      text: `${sentenceOf(mail.detail ?? 'hand the link on yourself')} ${LIMITS}`,
    };
  const title = `${email} is invited`;
  if (mail.status === 'sent')
    return {
      tone: 'ok',
      title,
      text: `The link was mailed to this address. If the mail does not arrive, send the link below yourself. ${LIMITS}`,
    };
  return {
    tone: opensOnlyHere ? 'warn' : 'ok',
    title,
    text: `Send this link to the person. ${LIMITS}${opensOnlyHere ? ` ${ONLY_HERE}` : ''}`,
  };
}
