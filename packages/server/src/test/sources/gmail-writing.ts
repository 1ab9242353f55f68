/** Makes the message of a mail that a person has written: a text, HTML or both, with files and other messages in it. */
import type { GmailHeader, GmailMail, GmailPart } from './gmail-mime.ts';

export interface GmailFile {
  readonly filename: string;
  readonly content: string | Buffer;
  readonly mimeType?: string;
  /** A picture in the HTML has an id. */
  readonly contentId?: string;
}

export interface GmailWriting {
  readonly from?: string;
  readonly to?: string;
  readonly cc?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly charset?: string;
  readonly files?: readonly GmailFile[];
  /** Messages that were attached. */
  readonly mails?: readonly GmailMail[];
  readonly headers?: readonly GmailHeader[];
  readonly labels?: readonly string[];
  /** The message belongs to the thread of this one. */
  readonly thread?: { readonly threadId: string };
  /** The time is in milliseconds since 1970, now by default. */
  readonly at?: number;
  /** The whole message, in place of all of the above but labels, thread and time. */
  readonly mail?: GmailMail;
}

const multipart = (kind: string, parts: readonly GmailPart[]): GmailPart =>
  parts.length === 1 && parts[0] ? parts[0] : { mimeType: `multipart/${kind}`, parts };

const filePart = ({ filename, content, mimeType = 'text/markdown', contentId }: GmailFile) => ({
  mimeType,
  filename,
  content,
  ...(contentId && { contentId }),
});

export function writtenMail(
  owner: string,
  writing: GmailWriting,
  { at, id }: { at: number; id: string },
): GmailMail {
  const { from = 'Bob <bob@acme.example>', to = owner, cc, subject = 'News', html } = writing;
  const { text = html === undefined ? '' : undefined, files = [], mails = [] } = writing;
  const charset = writing.charset ? { charset: writing.charset } : {};
  const inline = files.filter(({ contentId }) => contentId);
  const whole = multipart('alternative', [
    ...(text === undefined ? [] : [{ mimeType: 'text/plain', content: text, ...charset }]),
    ...(html === undefined
      ? []
      : [
          multipart('related', [
            { mimeType: 'text/html', content: html, ...charset },
            ...inline.map(filePart),
          ]),
        ]),
  ]);
  const attached = files.filter((one) => !inline.includes(one)).map(filePart);
  const nested = mails.map((mail, i) => ({
    mimeType: 'message/rfc822',
    filename: `forwarded-${i}.eml`,
    mail,
  }));
  const headers = [
    { name: 'MIME-Version', value: '1.0' },
    { name: 'Date', value: new Date(at).toUTCString().replace('GMT', '+0000') },
    { name: 'Message-ID', value: `<${id}@mail.gmail.com>` },
    { name: 'Subject', value: subject },
    { name: 'From', value: from },
    { name: 'To', value: to },
    ...(cc === undefined ? [] : [{ name: 'Cc', value: cc }]),
  ];
  const own = writing.headers ?? [];
  return {
    headers: [...headers.filter(({ name }) => !own.some((one) => one.name === name)), ...own],
    body: multipart('mixed', [whole, ...attached, ...nested]),
  };
}
