/**
 * Turns Confluence's storage format into HTML, which the pipeline reads
 * (https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html). The format is XHTML with elements of its
 * own for macros (`ac:`) and for what they refer to (`ri:`).
 *
 * A page is read once from beginning to end, without recursion. References to characters, such as `&nbsp;`, stay as they
 * are, because HTML knows them all. So every text in here is a piece of HTML already, except for that in CDATA.
 */
import { Parser } from 'htmlparser2';
import { ELEMENTS, type StorageClose, type StorageState } from './storage-elements.ts';

/** HTML allows these names only, and a page may have others. */
const NAME = /^[a-z][a-z0-9]*$/;
const VOID = new Set(['br', 'hr', 'col', 'wbr']);

/** `nameOf` returns the name of the person who has an account, or '' when it is not known. */
export function storageToHtml(storage: string, nameOf: (accountId: string) => string): string {
  const state: StorageState = {
    ...{ out: [], left: 0, macros: [], targets: [], taken: null },
    nameOf: (accountId) => escapedHtml(nameOf(accountId)),
  };
  const closers: StorageClose[] = [];
  let isVerbatim = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const open = Object.hasOwn(ELEMENTS, name) ? ELEMENTS[name] : undefined;
        closers.push(open ? open(state, attributes) : openHtml(state, name));
      },
      onclosetag() {
        closers.pop()?.();
      },
      oncdatastart() {
        isVerbatim = true;
      },
      oncdataend() {
        isVerbatim = false;
      },
      ontext(data) {
        const text = isVerbatim ? escapedHtml(data) : data;
        if (state.taken) state.taken.text += text;
        else if (state.left === 0) state.out.push(text);
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.write(storage);
  parser.end();
  return state.out.join('');
}

const escapedHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Elements that nobody knows show what is in them. */
function openHtml({ out, left, taken }: StorageState, name: string): StorageClose {
  if (left > 0 || taken || !NAME.test(name)) return undefined;
  out.push(`<${name}>`);
  return VOID.has(name) ? undefined : () => void out.push(`</${name}>`);
}

const MENTION = /\bri:account-id="([^"]{1,200})"/g;
/** Returns the account ids of all people whom the page mentions. */
export const mentionsIn = (storage: string): string[] => [
  ...new Set([...storage.matchAll(MENTION)].map(([, id = '']) => id)),
];
