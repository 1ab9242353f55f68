/**
 * Opens the elements of the storage format that HTML does not have. The function that opens an element returns the function
 * that closes it.
 */

export type StorageClose = (() => void) | undefined;
type StorageAttributes = Readonly<Record<string, string>>;

interface Macro {
  readonly name: string;
  readonly parameters: Map<string, string>;
  /** If true, a body of the macro was met. */
  hasBody: boolean;
}
/** The state says where the parser stands. What an element changes, its end undoes. */
export interface StorageState {
  readonly out: string[];
  /** This is the number of open elements that are left out. */
  left: number;
  /** These are the open macros, the innermost last. */
  readonly macros: Macro[];
  /** These are what the open links and pictures lead to, the innermost last. */
  readonly targets: string[];
  /** Text goes here instead, as long as an element is open that has a value. */
  taken: { text: string } | null;
  readonly nameOf: (accountId: string) => string;
}
type StorageOpener = (state: StorageState, attributes: StorageAttributes) => StorageClose;

/** Text in these macros is kept as it is. */
const VERBATIM = new Set(['code', 'noformat', 'html', 'markdown', 'mermaid']);
/** These stand out from the text around them. */
const PANELS = new Set(['info', 'note', 'tip', 'warning', 'panel', 'success', 'error', 'expand']);
/** These parameters are all that some macros without a body show. */
const SHOWN = ['key', 'title', 'name', 'url'];

const leftOut: StorageOpener = (state) => {
  state.left++;
  return () => void state.left--;
};
const wrapped =
  (tag: string): StorageOpener =>
  (state) => {
    write(state, `<${tag}>`);
    return () => write(state, `</${tag}>`);
  };
function write({ out, left, taken }: StorageState, html: string): void {
  if (left === 0 && !taken) out.push(html);
}

/** Takes the text of the element out of the page, and gives it to `use` at its end. */
function take(state: StorageState, use: (text: string) => void): StorageClose {
  const outer = state.taken;
  const own = { text: '' };
  state.taken = own;
  return () => {
    state.taken = outer;
    use(own.text.trim());
  };
}

const openMacro: StorageOpener = (state, attributes) => {
  const macro: Macro = {
    name: (attributes['ac:name'] ?? '').toLowerCase(),
    parameters: new Map(),
    hasBody: false,
  };
  state.macros.push(macro);
  return () => {
    state.macros.pop();
    if (!macro.hasBody) write(state, shownOf(macro));
  };
};

function shownOf({ name, parameters }: Macro): string {
  if (name === 'status') return ` ${parameters.get('title') ?? ''} `;
  if (['toc', 'children', 'anchor'].includes(name)) return '';
  const shown = SHOWN.flatMap((one) => parameters.get(one) ?? []).find((one) => one !== '');
  return shown === undefined ? '' : ` ${shown} `;
}

const openParameter: StorageOpener = (state, attributes) => {
  const macro = state.macros.at(-1);
  return take(state, (text) => macro?.parameters.set(attributes['ac:name'] ?? '', text));
};

const openBody: StorageOpener = (state) => {
  const macro = state.macros.at(-1);
  if (!macro) return undefined;
  macro.hasBody = true;
  const title = macro.parameters.get('title') ?? '';
  const tag = PANELS.has(macro.name) ? 'blockquote' : 'div';
  write(state, `<${tag}>${title === '' ? '' : `<p><strong>${title}</strong></p>`}`);
  return () => write(state, `</${tag}>`);
};

const openPlainBody: StorageOpener = (state) => {
  const macro = state.macros.at(-1);
  if (!macro || !VERBATIM.has(macro.name)) return openBody(state, {});
  macro.hasBody = true;
  const title = macro.parameters.get('title') ?? '';
  const language = /^[\w+#-]{1,30}$/.exec(macro.parameters.get('language') ?? '')?.[0];
  write(state, title === '' ? '' : `<p><strong>${title}</strong></p>`);
  write(state, `<pre><code${language === undefined ? '' : ` class="language-${language}"`}>`);
  return () => write(state, '</code></pre>');
};

/** A link without a text shows what it leads to. */
const openLink: StorageOpener = (state, attributes) => {
  const { out, targets } = state;
  const before = out.length;
  targets.push(attributes['ac:anchor'] ?? attributes['ac:alt'] ?? '');
  return () => {
    const shown = targets.pop() ?? '';
    if (out.slice(before).join('').trim() === '') write(state, shown);
  };
};
/** The name of the file stands for a picture without a description. */
const openImage: StorageOpener = (state, attributes) => {
  const { targets } = state;
  const described = attributes['ac:alt'] || attributes['ac:title'];
  targets.push('');
  return () => {
    const name = targets.pop() ?? '';
    write(state, ` ${described || name} `);
  };
};

/** The innermost link or picture leads to what the element names. */
const target =
  (
    nameOf: (attributes: StorageAttributes, state: StorageState) => string | undefined,
  ): StorageOpener =>
  (state, attributes) => {
    const { targets } = state;
    const name = nameOf(attributes, state);
    if (targets.length > 0 && name !== undefined && name !== '') targets[targets.length - 1] = name;
    return undefined;
  };
const named = (...names: readonly string[]): StorageOpener =>
  target((attributes) => names.flatMap((name) => attributes[name] ?? [])[0]);

const MARKS: Readonly<Record<string, string>> = { complete: '[x] ', incomplete: '[ ] ' };

/** An extension of the new editor has its text once more, in the old form. */
const openFallback: StorageOpener = (state, attributes) =>
  state.macros.at(-1)?.hasBody ? leftOut(state, attributes) : undefined;
const openExtension: StorageOpener = (state) => {
  const macro: Macro = { name: 'adf', parameters: new Map(), hasBody: false };
  state.macros.push(macro);
  return () => void state.macros.pop();
};

export const ELEMENTS: Readonly<Record<string, StorageOpener>> = {
  'ac:structured-macro': openMacro,
  'ac:macro': openMacro,
  'ac:parameter': openParameter,
  'ac:default-parameter': openParameter,
  'ac:rich-text-body': openBody,
  'ac:plain-text-body': openPlainBody,
  'ac:link': openLink,
  'ac:image': openImage,
  'ac:caption': wrapped('p'),
  'ri:user': target((attributes, { nameOf }) => {
    const name = nameOf(attributes['ri:account-id'] ?? '');
    return name === '' ? undefined : `@${name}`;
  }),
  'ri:page': named('ri:content-title'),
  'ri:blog-post': named('ri:content-title'),
  'ri:attachment': named('ri:filename'),
  'ri:space': named('ri:space-key'),
  'ri:url': named('ri:value'),
  'ri:shortcut': named('ri:parameter'),
  'ac:emoticon': (state, attributes) => {
    const emoji = attributes['ac:emoji-fallback'] ?? '';
    write(state, emoji === '' ? '' : emoji);
    return undefined;
  },
  time: (state, { datetime = '' }) => {
    write(state, datetime);
    return undefined;
  },
  'ac:task-list': wrapped('ul'),
  'ac:task': wrapped('li'),
  'ac:task-id': leftOut,
  'ac:task-uuid': leftOut,
  'ac:task-status': (state) => take(state, (text) => write(state, MARKS[text] ?? '')),
  'ac:task-body': wrapped('span'),
  'ac:placeholder': leftOut,
  'ac:layout-cell': wrapped('div'),
  'ac:adf-extension': openExtension,
  'ac:adf-attribute': leftOut,
  'ac:adf-content': (state) => {
    const macro = state.macros.at(-1);
    if (macro) macro.hasBody = true;
    return wrapped('div')(state, {});
  },
  'ac:adf-fallback': openFallback,
};
