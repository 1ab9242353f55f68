/** Makes messages as mail programs send them. */

export const MAIL_HEAD = [
  'Return-Path: <ann@example.org>',
  'Message-ID: <1@example.org>',
  'From: Ann Miller <ann@example.org>',
  'To: Ben <ben@example.org>, "Smith, Cleo" <cleo@example.org>',
  'Cc: =?utf-8?q?J=C3=BCrgen?= <juergen@example.org>',
  'Subject: =?utf-8?Q?Offer_for_the_Gr=C3=BCne_Br=C3=BCcke?=',
  'Date: Mon, 3 Mar 2025 10:00:00 +0100',
  'MIME-Version: 1.0',
];

/** Returns a message whose head has these further lines. Each byte of the body is a Latin-1 character. */
export const mailFile = (head: readonly string[], body: string): Buffer =>
  Buffer.from(`${[...MAIL_HEAD, ...head].join('\r\n')}\r\n\r\n${body}`, 'latin1');

export interface MadePart {
  readonly head: readonly string[];
  readonly body: string;
}

/** Returns the header and the body of parts, of a kind such as `mixed`. */
export function multipart(kind: string, parts: readonly MadePart[]): MadePart {
  // The length makes the boundary different from those of the parts within.
  const length = parts.reduce((sum, { body }) => sum + body.length, 0);
  const boundary = `=_${kind}_${length}`;
  const lines = parts.flatMap(({ head, body }) => [`--${boundary}`, ...head, '', body]);
  return {
    head: [`Content-Type: multipart/${kind}; boundary="${boundary}"`],
    body: [...lines, `--${boundary}--`, ''].join('\r\n'),
  };
}

export const textPart = (body: string, type = 'text/plain; charset=utf-8'): MadePart => ({
  head: [`Content-Type: ${type}`],
  body,
});

export const filePart = (
  name: string,
  content: string,
  type = 'application/octet-stream',
): MadePart => ({
  head: [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
  ],
  body: Buffer.from(content, 'latin1')
    .toString('base64')
    .replaceAll(/(.{76})/g, '$1\r\n'),
});

export const mailOf = ({ head, body }: MadePart): Buffer => mailFile(head, body);
