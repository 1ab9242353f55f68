/**
 * Reads the MIME structure that a mail server has parsed, such as BODYSTRUCTURE of IMAP (RFC 9051) or the payload of
 * Gmail, and finds the parts that are the text of the message, and those that are files. So no message is parsed here,
 * and parts that nobody reads, such as pictures, are not transferred.
 */
import { attachmentName, MAX_NAME, oneLine } from './names.ts';

type Parameters = Readonly<Record<string, string>>;

/** A part of a message, with the parts in it. Media types, dispositions and names of parameters are in lower case. */
export interface MailNode {
  /** The number of the part. Only the only part of a message of IMAP has none. */
  readonly part?: string | undefined;
  readonly type: string;
  readonly parameters?: Parameters | undefined;
  readonly disposition?: string | undefined;
  readonly dispositionParameters?: Parameters | undefined;
  /** The Content-ID. */
  readonly id?: string | undefined;
  readonly encoding?: string | undefined;
  readonly size?: number | undefined;
  /** Only an attached message has it. */
  readonly envelope?: { readonly subject?: string | undefined } | undefined;
  readonly childNodes?: readonly MailNode[] | undefined;
}

/** Files after this many are ignored. */
const MAX_FILES = 255;

export type TextKind = 'plain' | 'html' | 'markdown';

export interface TextPart {
  readonly part: string;
  readonly kind: TextKind;
  readonly charset: string | undefined;
  readonly encoding: string;
  /** This is the size in bytes before it is decoded. */
  readonly size: number;
}

export interface FilePart {
  readonly part: string;
  readonly name: string;
  readonly mediaType: string;
  readonly encoding: string;
  readonly size: number;
  /** An attached message is copied as its text. */
  readonly message: readonly TextPart[] | null;
}

export interface MailParts {
  readonly texts: readonly TextPart[];
  readonly files: readonly FilePart[];
  readonly protection: MailProtection | null;
}
export type MailProtection = 'signed' | 'encrypted';

/** Parts after this many are ignored. */
const MAX_NODES = 5000;
const MAX_TEXTS = 50;

/** These parts are only the looks of a text in which they stand. */
const LOOKS =
  /^(?:image\/|font\/|text\/css$|application\/(?:x-)?font|application\/vnd\.ms-fontobject$)/;
/** These parts prove who has written the message; they say nothing to a reader. */
const SIGNATURES = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature|pgp-keys)$/;
const CMS = /^application\/(?:x-)?pkcs7-mime$/;
/** Delivery reports have their story in a part of text, and repeat it in these. */
const REPORTS =
  /^(?:message\/(?:delivery-status|disposition-notification|feedback-report)|text\/rfc822-headers)$/;

interface Found {
  readonly form: Form;
  readonly texts: TextPart[];
  readonly files: FilePart[];
  /** An invitation stands beside the text of a message, and often again among its files. */
  readonly invitations: FilePart[];
  /** This is the part whose signature or encryption is that of the whole message. */
  body: MailNode;
  protection: MailProtection | null;
  nodes: number;
}

const nothingIn = (body: MailNode, form: Form, nodes = 0): Found => ({
  form,
  texts: [],
  files: [],
  invitations: [],
  body,
  protection: null,
  nodes,
});

/** This says which of several forms of one text is taken: the one with the most or with the least markup. */
export type Form = 'richest' | 'plainest';

export function partsOf(root: MailNode, form: Form = 'richest'): MailParts {
  const found = nothingIn(root, form);
  walk(root, '1', found);
  return {
    texts: found.texts.slice(0, MAX_TEXTS),
    files: filesOf(found).slice(0, MAX_FILES),
    protection: found.protection,
  };
}

const CALENDAR = /^(?:text\/calendar|application\/ics)$/;

const filesOf = ({ files, invitations }: Found): FilePart[] =>
  files.some(({ mediaType }) => CALENDAR.test(mediaType)) ? files : [...files, ...invitations];

/** `single` is the number of the part when the message, or the attached message, has no other part. */
function walk(node: MailNode, single: string, found: Found): void {
  if (++found.nodes > MAX_NODES) return;
  const { type, childNodes: children = [] } = node;
  if (type.startsWith('multipart/')) walkMultipart(node, children, found);
  else walkLeaf(node, node.part ?? single, found);
}

function walkMultipart(
  { type, parameters }: MailNode,
  children: readonly MailNode[],
  found: Found,
): void {
  const [first, ...others] = children;
  if (!first) return;
  if (type === 'multipart/encrypted') found.protection = 'encrypted';
  else if (type === 'multipart/signed') {
    found.body = first;
    walkChild(first, found);
    found.protection ??= 'signed';
  } else if (type === 'multipart/alternative') {
    walkAlternatives([first, ...others], found);
  } else if (type === 'multipart/related') {
    // The root is the part that `start` names, or else the first (RFC 2387, section 3.2).
    const root = children.find(({ id }) => id !== undefined && id === parameters?.start) ?? first;
    walkChild(root, found);
    for (const child of children)
      if (child !== root && !(LOOKS.test(child.type) && isInText(child))) walkChild(child, found);
  } else for (const child of children) walkChild(child, found);
}

/** The last alternative is the richest that the sender could make (RFC 2046, section 5.1.4). */
function walkAlternatives(children: readonly MailNode[], found: Found): void {
  const readable = children.filter((child) => hasText(child));
  const best = readable.at(found.form === 'richest' ? -1 : 0) ?? children[0];
  for (const child of children)
    if (child === best || child.disposition === 'attachment') walkChild(child, found);
    else if (CALENDAR.test(child.type)) found.invitations.push(fileOf(child, child.part ?? '1', 1));
    else if (child.type.startsWith('multipart/')) walkFiles(child, found);
}

/** Apple Mail puts the files of a message into the richest form of its text. */
function walkFiles(child: MailNode, found: Found): void {
  const beside: Found = { ...found, texts: [] };
  walkChild(child, beside);
  found.nodes = beside.nodes;
}

/** A child of a multipart always has a number of its own. */
const walkChild = (child: MailNode, found: Found): void => walk(child, child.part ?? '1', found);

function walkLeaf(node: MailNode, part: string, found: Found): void {
  const { type, parameters = {}, childNodes = [], size = 0 } = node;
  const encoding = node.encoding ?? '7bit';
  if (SIGNATURES.test(type) || REPORTS.test(type)) return;
  if (type === 'application/pgp-encrypted' || (CMS.test(type) && isBody(node, found))) {
    const isSigned = /^(?:signed-data|certs-only)$/i.test(parameters['smime-type'] ?? '');
    found.protection = isSigned ? 'signed' : 'encrypted';
  } else if (isText(node))
    found.texts.push({
      part,
      kind: kindOf(node),
      charset: parameters.charset,
      encoding,
      size,
    });
  else if (type === 'message/rfc822') walkMessage(node, part, { childNodes, found });
  else if (!(type.startsWith('image/') && isInText(node)))
    found.files.push(fileOf(node, part, found.files.length + 1));
}

/** `number` is that of the file among the files of the message. */
const fileOf = (node: MailNode, part: string, number: number): FilePart => ({
  part,
  name: nameOf(node, number),
  mediaType: node.type,
  encoding: node.encoding ?? '7bit',
  size: node.size ?? 0,
  message: null,
});

/** Other files, such as the invoices of Italy, are sent in this format too. RFC 8551, section 3.2.1, names a body so. */
const BODY_NAME = /^(?:smime\.p7[mcz])?$/i;

const isBody = (node: MailNode, { body }: Found): boolean =>
  node === body || (node.disposition !== 'attachment' && BODY_NAME.test(givenNameOf(node)));

/** The text of an attached message becomes a file; its own files become files of the message in which it is. */
function walkMessage(
  node: MailNode,
  part: string,
  { childNodes: [inner], found }: { childNodes: readonly MailNode[]; found: Found },
): void {
  const file = fileOf(node, part, found.files.length + 1);
  const name = subjectOf(node.envelope?.subject) ?? file.name;
  if (!inner) {
    found.files.push({ ...file, name, message: [] });
    return;
  }
  const root = inner.type.startsWith('multipart/') ? inner : { ...inner, part: `${part}.1` };
  const within = nothingIn(root, found.form, found.nodes);
  walk(root, '', within);
  found.nodes = within.nodes;
  found.files.push({ ...file, name, message: within.texts.slice(0, MAX_TEXTS) });
  found.files.push(...filesOf(within));
}

const isText = ({ type, disposition, parameters, dispositionParameters }: MailNode) =>
  (type === 'text/plain' || type === 'text/html') &&
  disposition !== 'attachment' &&
  (disposition === 'inline' || givenNameOf({ parameters, dispositionParameters }) === '');

/** MailMate marks a plain text that is Markdown in this way. */
const kindOf = ({ type, parameters = {} }: MailNode): TextKind => {
  if (type === 'text/html') return 'html';
  return parameters.markup === 'markdown' ? 'markdown' : 'plain';
};

const hasText = (node: MailNode): boolean => isText(node) || (node.childNodes ?? []).some(hasText);

/** The text of the message shows this part at some place. */
const isInText = ({ id, disposition }: MailNode): boolean =>
  id !== undefined && id !== '' && disposition !== 'attachment';

const nameOf = (node: MailNode, number: number): string =>
  attachmentName({ name: givenNameOf(node), mediaType: node.type }, number);

/** Returns the name that the sender gave, or ''. */
const givenNameOf = ({
  parameters,
  dispositionParameters,
}: Pick<MailNode, 'parameters' | 'dispositionParameters'>): string =>
  dispositionParameters?.filename ?? parameters?.name ?? '';

const subjectOf = (subject: string | undefined): string | undefined =>
  oneLine(subject ?? '', MAX_NAME) || undefined;
