/**
 * Reads HTML and XML as a flat sequence of tags and texts. It keeps neither a tree nor a stack, so it takes the same time
 * per character for every input, and it gives the event loop its turn between pieces, so that a large page does not hold
 * up the process. Entities that a document declares itself are not expanded.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import { Tokenizer } from 'htmlparser2';
import { MAX_LINK } from './address.ts';

/** Reading this many characters takes about a millisecond. */
const PIECE = 64 * 1024;
/** The rest of a longer value is not read, and neither are further attributes of a tag. */
const MAX_VALUE = MAX_LINK + 1;
const MAX_ATTRIBUTES = 64;
/** Names are in lower case in HTML, and as written in XML. */
export type TagAttributes = ReadonlyMap<string, string>;

export interface MarkupHandler {
  open?(name: string, attributes: TagAttributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

export async function readMarkup(
  source: string,
  { xmlMode, signal }: { readonly xmlMode: boolean; readonly signal: AbortSignal },
  handler: MarkupHandler,
): Promise<void> {
  const nameAt = (start: number, end: number) => {
    const name = source.slice(start, Math.min(end, start + MAX_VALUE));
    return xmlMode ? name : name.toLowerCase();
  };
  let tag = '';
  let attributes = new Map<string, string>();
  let attribute = '';
  let value = '';
  const add = (text: string) => {
    if (value.length < MAX_VALUE) value += text.slice(0, MAX_VALUE);
  };
  const opened = () => handler.open?.(tag, attributes);
  const tokenizer = new Tokenizer(
    { xmlMode, decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = nameAt(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = nameAt(start, end);
        value = '';
      },
      onattribdata: (start, end) => add(source.slice(start, Math.min(end, start + MAX_VALUE))),
      onattribentity: (codepoint) => add(String.fromCodePoint(codepoint)),
      onattribend() {
        if (attributes.size < MAX_ATTRIBUTES && !attributes.has(attribute))
          attributes.set(attribute, value);
      },
      onopentagend: opened,
      onselfclosingtag() {
        opened();
        handler.close?.(tag);
      },
      onclosetag: (start, end) => handler.close?.(nameAt(start, end)),
      ontext: (start, end) => handler.text?.(source.slice(start, end)),
      ontextentity: (codepoint) => handler.text?.(String.fromCodePoint(codepoint)),
      oncdata(start, end, offset) {
        handler.text?.(source.slice(start, end - offset));
      },
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  for (let at = 0; at < source.length; at += PIECE) {
    if (at > 0) await giveWay();
    signal.throwIfAborted();
    tokenizer.write(source.slice(at, at + PIECE));
  }
  tokenizer.end();
}
