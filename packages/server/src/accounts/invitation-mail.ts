/** The mail of an invitation, as plain text and as HTML. Names in it were chosen by other people. */
import { escapedHtml } from '../http/page.ts';
import type { OutgoingMail } from '../net/smtp.ts';
import type { InviterNames } from './inviter.ts';

export interface InvitationFacts {
  readonly to: string;
  readonly inviter: InviterNames;
  readonly organization: string;
  readonly url: string;
  /** The link works until this time, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export function invitationMail({
  to,
  inviter,
  organization,
  url,
  expiresAt,
}: InvitationFacts): OutgoingMail {
  const place = plain(organization);
  const who = nameOf(inviter);
  const until = `${MOMENT.format(expiresAt)} UTC`;
  const about =
    'Quarry searches what an organization knows, in its apps, files and databases, in one place.';
  const how = 'Open the link, and choose a password, or give the one that you have there already:';
  const limits = `The link works once, and until ${until}. It is for ${to}: do not pass it on, because whoever has it can join in your place.`;
  const otherwise = 'If you do not expect this invitation, you need not do anything.';
  const invites = `invites you to the organization “${place}” in Quarry.`;
  const lines = [`${who} ${invites}`, about, `${how}\n${url}`, limits, otherwise];
  const [whoHtml, placeHtml, urlHtml] = [who, place, url].map(escapedHtml);
  return {
    to,
    subject: `Invitation to “${place}” in Quarry`,
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Invitation</title></head>
<body style="font:16px/1.5 system-ui,sans-serif;margin:0;padding:24px">
<div style="max-width:32rem">
<p><bdi>${whoHtml}</bdi> invites you to the organization “<bdi>${placeHtml}</bdi>” in Quarry.</p>
<p>${about}</p>
<p>${how}</p>
<p><a href="${urlHtml}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#0b6580;color:#ffffff;text-decoration:none">Join the organization</a></p>
<p style="font-size:14px">If the button does not work, copy this address:<br><a href="${urlHtml}" style="word-break:break-all">${urlHtml}</a></p>
<p>${escapedHtml(limits)}</p>
<p>${otherwise}</p>
</div>
</body>
</html>
`,
  };
}

function nameOf({ name, email }: InviterNames): string {
  const shown = plain(name ?? '');
  if (email === null) return shown || 'An administrator';
  return shown === '' ? email : `${shown} (${email})`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Line breaks could begin headers, and marks of direction could turn the rest of a line around. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

const plain = (name: string): string => name.replaceAll(UNSAFE, ' ').trim();
