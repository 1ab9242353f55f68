/**
 * Reads from a page the commands and programs that can be run, and the output that it promises for them. README.md has
 * commands (```sh); the guides and the page of the client have programs (```ts).
 *
 * A mark (an HTML comment, which readers do not see) stands before a block of commands:
 *   <!-- run: start -->  the block starts the service, which then serves the blocks below
 *   <!-- run -->         the block is run and must succeed
 *   <!-- run: retry -->  the same, again and again until it keeps its promise
 * A ```console or ```json block after it is what the commands print. In both
 *   …        matches anything: a part of a line, whole lines, a value, the rest of a list or object
 *   <name>   matches anything in one line, and stands for what it matched in everything below
 */
export type Mark = 'start' | 'once' | 'retry';

export interface Step {
  readonly mark: Mark;
  readonly commands: string;
  readonly promise: { readonly kind: 'console' | 'json'; readonly text: string } | null;
  /** The commands begin in this line, counted from 1. */
  readonly line: number;
}

const MARK = /^<!-- run(?:: (\w+))? -->$/;
const FENCE = /^```(\w*)$/;
const MARKS: Readonly<Record<string, Mark>> = { once: 'once', start: 'start', retry: 'retry' };

export function readSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  let mark: Mark | null = null;
  let open = false;
  for (const block of blocksOf(markdown)) {
    if (block.kind === 'mark') {
      if (mark) throw new Error(`line ${block.line}: two marks without commands between them`);
      mark = MARKS[block.text] ?? fault(`line ${block.line}: there is no mark '${block.text}'`);
    } else if (block.kind === 'sh' || block.kind === 'ts') {
      if (mark) steps.push({ mark, commands: block.text, promise: null, line: block.line });
      open = mark !== null;
      mark = null;
    } else if (open && (block.kind === 'console' || block.kind === 'json')) {
      const last = steps.pop() ?? fault('a promise without commands');
      steps.push({ ...last, promise: { kind: block.kind, text: block.text } });
      open = false;
    }
  }
  if (mark) throw new Error('the last mark stands before no commands');
  return steps;
}

interface Block {
  readonly kind: string;
  readonly text: string;
  readonly line: number;
}

/** Yields marks and fenced blocks, in order. */
function* blocksOf(markdown: string): Generator<Block> {
  let fence: { kind: string; lines: string[]; line: number } | null = null;
  for (const [index, text] of markdown.split('\n').entries()) {
    if (fence && text === '```') {
      yield { kind: fence.kind, text: fence.lines.join('\n'), line: fence.line };
      fence = null;
    } else if (fence) fence.lines.push(text);
    else if (MARK.test(text))
      yield { kind: 'mark', text: MARK.exec(text)?.[1] ?? 'once', line: index + 1 };
    else if (FENCE.test(text))
      fence = { kind: FENCE.exec(text)?.[1] ?? '', lines: [], line: index + 2 };
  }
}

type Names = Readonly<Record<string, string>>;

/**
 * Returns the values of the placeholders when `output` keeps the promise, and null otherwise. With `whole`, `output`
 * must contain nothing else.
 */
export function matchConsole(promise: string, output: string, whole: boolean): Names | null {
  const lines = promise
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\n)*?' : `${patternOf(line)} *\n`));
  const body = `^${lines.join('')}`;
  const pattern = whole ? new RegExp(`${body}\\s*$`) : new RegExp(body, 'm');
  return namesOf(pattern.exec(`${output.trimEnd()}\n`));
}

/** Does the same for JSON. Objects must have exactly the promised keys; with the key `…` they may have more. */
export function matchJson(promise: unknown, actual: unknown): Names | null {
  if (promise === '…') return {};
  if (typeof promise === 'string' && /^<\w+>$/.test(promise) && typeof actual === 'number')
    return { [promise.slice(1, -1)]: String(actual) };
  if (typeof promise === 'string' && typeof actual === 'string') {
    return namesOf(new RegExp(`^${patternOf(promise)}$`, 's').exec(actual));
  }
  if (Array.isArray(promise) && Array.isArray(actual)) {
    const wanted = promise.at(-1) === '…' ? promise.slice(0, -1) : promise;
    const fits =
      wanted === promise ? actual.length === wanted.length : actual.length >= wanted.length;
    return fits ? all(wanted.map((item, index) => matchJson(item, actual[index]))) : null;
  }
  if (isObject(promise) && isObject(actual)) {
    const { '…': open, ...wanted } = promise;
    const more = Object.keys(actual).some((key) => !(key in wanted));
    if (more && open === undefined) return null;
    return all(
      Object.entries(wanted).map(([key, item]) =>
        key in actual ? matchJson(item, actual[key]) : null,
      ),
    );
  }
  return promise === actual ? {} : null;
}

/** Returns the text with the known values of its placeholders. */
export const fill = (text: string, names: Names): string =>
  text.replaceAll(/<(\w+)>/g, (whole, name: string) => names[name] ?? whole);

const namesOf = (found: RegExpExecArray | null): Names | null => found && { ...found.groups };

const patternOf = (line: string): string =>
  line
    .split(/(…|<\w+>)/)
    .map((part) => {
      if (part === '…') return '.*?';
      return /^<\w+>$/.test(part) ? `(?<${part.slice(1, -1)}>.+?)` : RegExp.escape(part);
    })
    .join('');

function all(found: readonly (Names | null)[]): Names | null {
  const names: Record<string, string> = {};
  for (const one of found) {
    if (!one) return null;
    Object.assign(names, one);
  }
  return names;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fault(message: string): never {
  throw new Error(message);
}
