/** Mails an invitation, and says whether that worked. The person is invited in any case, so nothing is thrown. */
import type { Logger } from 'pino';
import { MailFailure, type MailFault, type SendMail } from '../net/smtp.ts';
import { type InvitationFacts, invitationMail } from './invitation-mail.ts';
import type { InvitationMail } from './schema.ts';

interface Sending {
  /** It is null when nothing is mailed. */
  readonly sendMail: SendMail | null;
  /** Returns true when too many invitations were mailed before. */
  readonly isLimited: () => Promise<boolean>;
  readonly log: Logger;
}

const WAY_ON = 'hand the link on yourself';

const TOO_MANY = `too many invitations to this address, or of this organization, were made within an hour: ${WAY_ON}`;

export async function sendInvitation(
  facts: InvitationFacts,
  { sendMail, isLimited, log }: Sending,
): Promise<InvitationMail> {
  if (!sendMail) return { status: 'off', code: null, detail: `no mail server is set: ${WAY_ON}` };
  if (await isLimited()) return { status: 'failed', code: 'limited', detail: TOO_MANY };
  try {
    await sendMail(invitationMail(facts));
    return { status: 'sent', code: null, detail: null };
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    const { fault: code, status, message } = error;
    log.warn({ code, status, reason: message }, 'an invitation was not mailed');
    const answered = status === null ? '' : ` (its answer is ${status})`;
    const detail = `${WHY[code].replace('{to}', facts.to)}${answered}: ${WAY_ON}`;
    return { status: 'failed', code, detail };
  }
}

/** An admin of an organization need not be the operator, so nothing here tells where the mail server is. */
const WHY: Readonly<Record<MailFault, string>> = {
  late: 'the mail server did not answer in time',
  unreachable: 'the mail server cannot be reached',
  broken: 'the connection to the mail server broke off, so the mail may not arrive',
  not_secure: 'no secure connection to the mail server can be made',
  login_refused: 'the mail server refuses the user or the password that the operator has set',
  sender_refused: 'the mail server refuses the sender that the operator has set',
  recipient_refused: 'the mail server refuses the address {to}',
  refused: 'the mail server refuses the mail',
};
