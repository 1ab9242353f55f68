/** Writes messages as RFC 5322 and MIME define them: headers with encoded words, parts in base64, texts in any charset. */

export interface GmailHeader {
  readonly name: string;
  readonly value: string;
  /** The header was sent like this. By default, a value that is not ASCII is sent as encoded words of UTF-8. */
  readonly sent?: string;
}

export interface GmailPart {
  readonly mimeType: string;
  readonly filename?: string;
  /** The charset of a text, UTF-8 by default. */
  readonly charset?: string;
  readonly content?: string | Buffer;
  readonly parts?: readonly GmailPart[];
  /** A part of the type message/rfc822 has this message. */
  readonly mail?: GmailMail;
  readonly contentId?: string;
}

export interface GmailMail {
  readonly headers: readonly GmailHeader[];
  readonly body: GmailPart;
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Returns encoded words of at most 75 characters, as RFC 2047 wants them. */
function encodedWords(text: string): string {
  const pieces: string[] = [''];
  for (const one of text) {
    const last = pieces.at(-1) ?? '';
    if (Buffer.byteLength(last + one) > 45) pieces.push(one);
    else pieces[pieces.length - 1] = last + one;
  }
  return pieces
    .map((piece) => `=?UTF-8?B?${Buffer.from(piece).toString('base64')}?=`)
    .join('\r\n ');
}

export function sentValue({ value, sent }: GmailHeader): string {
  if (sent !== undefined) return sent;
  if (isAscii(value)) return value;
  const [, name, address] = /^(.*) (<[^<>]*>)$/s.exec(value) ?? [];
  return name === undefined ? encodedWords(value) : `${encodedWords(name)} ${address}`;
}

const encoders = new Map<string, Map<string, Buffer>>();

/** Encodes by looking for the bytes that decode to each character: one byte, or two. */
function encoderOf(charset: string): Map<string, Buffer> {
  const known = encoders.get(charset);
  if (known) return known;
  const made = new Map<string, Buffer>();
  const decoder = new TextDecoder(charset);
  const learn = (bytes: Buffer) => {
    const text = decoder.decode(bytes);
    if ([...text].length === 1 && text !== '\ufffd' && !made.has(text)) made.set(text, bytes);
  };
  for (let one = 0; one < 256; one++) learn(Buffer.from([one]));
  for (let one = 0x80; one < 256; one++)
    for (let two = 0x40; two < 256; two++) learn(Buffer.from([one, two]));
  encoders.set(charset, made);
  return made;
}

/** Returns the content of the part at this place as it was sent. */
export function sentBytes(
  { content = '', charset = 'utf-8', mail }: GmailPart,
  path: string,
): Buffer {
  if (mail) return rawOf(mail, pathOf(path, 0));
  if (typeof content !== 'string') return content;
  if (/^utf-?8$/i.test(charset)) return Buffer.from(content);
  const encoder = encoderOf(charset);
  return Buffer.concat([...content].map((one) => encoder.get(one) ?? Buffer.from('?')));
}

/** `path` tells the part apart from the others of its message. */
export function headersOfPart(part: GmailPart, path: string): GmailHeader[] {
  const { mimeType, filename, charset = 'utf-8', contentId } = part;
  const name = filename === undefined ? '' : `; name="${sentValue({ name: '', value: filename })}"`;
  const type = part.parts
    ? `${mimeType}; boundary="${boundaryOf(path)}"`
    : mimeType.startsWith('text/')
      ? `${mimeType}; charset="${charset}"${name}`
      : `${mimeType}${name}`;
  const place = contentId ? 'inline' : 'attachment';
  return [
    { name: 'Content-Type', value: type },
    ...(filename === undefined
      ? []
      : [{ name: 'Content-Disposition', value: `${place}; filename${name.slice(6)}` }]),
    ...(contentId ? [{ name: 'Content-ID', value: `<${contentId}>` }] : []),
    ...(part.parts ? [] : [{ name: 'Content-Transfer-Encoding', value: encodingOf(part) }]),
  ];
}

const encodingOf = ({ mail }: GmailPart): string => (mail ? '8bit' : 'base64');

const boundaryOf = (path: string): string => `=_part_${path || 'whole'}`;

function bodyOf(part: GmailPart, path: string): Buffer {
  if (part.parts) {
    const boundary = boundaryOf(path);
    const pieces = part.parts.map((one, i) =>
      Buffer.concat([Buffer.from(`--${boundary}\r\n`), entityOf([], one, pathOf(path, i))]),
    );
    return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  }
  const bytes = sentBytes(part, path);
  if (part.mail) return Buffer.concat([bytes, Buffer.from('\r\n')]);
  const lines = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  return Buffer.from(`${lines}\r\n`);
}

function entityOf(headers: readonly GmailHeader[], part: GmailPart, path: string): Buffer {
  const lines = [...headers, ...headersOfPart(part, path)].map(
    (header) => `${header.name}: ${sentValue(header)}\r\n`,
  );
  return Buffer.concat([Buffer.from(`${lines.join('')}\r\n`), bodyOf(part, path)]);
}

/** Gmail numbers the parts of a part from 0, and separates the numbers by dots. */
export const pathOf = (path: string, index: number): string =>
  path === '' ? String(index) : `${path}.${index}`;

/** A message in a message has a place, and other boundaries than the one around it. */
export const rawOf = ({ headers, body }: GmailMail, path = ''): Buffer =>
  entityOf(headers, body, path);

/** Returns the texts of the part and of the parts in it. */
export const textsOf = ({ mimeType, content, parts = [], mail }: GmailPart): string[] => [
  ...(mimeType.startsWith('text/') && typeof content === 'string' ? [content] : []),
  ...parts.flatMap(textsOf),
  ...(mail ? textsOf(mail.body) : []),
];

/** Returns the parts with names of files, and where they are in the message. */
export const filesOf = (part: GmailPart, path = ''): { part: GmailPart; path: string }[] => [
  ...(part.filename === undefined ? [] : [{ part, path }]),
  ...(part.parts ?? []).flatMap((one, i) => filesOf(one, pathOf(path, i))),
];

export const filenamesOf = (part: GmailPart): string[] =>
  filesOf(part).map((one) => one.part.filename ?? '');

export const headerOf = ({ headers }: GmailMail, name: string): string =>
  headers.find((one) => one.name.toLowerCase() === name)?.value ?? '';
