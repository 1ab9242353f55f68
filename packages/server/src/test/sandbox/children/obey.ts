/**
 * Runs the statements that it receives, as foreign code could do that has taken over a limited process. It is a module
 * of a transformer, and the child process that replaces the parser of documents uses it too.
 */
export interface Attempt {
  readonly code: string;
  readonly ports: Readonly<Record<string, number>>;
}

type Statements = (ports: Attempt['ports'], until: typeof untilEvent) => Promise<void>;

const AsyncFunction = (async () => {}).constructor as new (...source: string[]) => Statements;

/** Returns `done` for each attempt, or the code with which it failed. */
export async function obey(attempts: readonly Attempt[], _config: unknown): Promise<string[]> {
  return Promise.all(
    attempts.map(({ code, ports }) =>
      new AsyncFunction('ports', 'until', code)(ports, untilEvent).then(() => 'done', codeOf),
    ),
  );
}

interface Emitter {
  on(event: string, listener: (value: unknown) => void): Emitter;
}

/** Waits for the first of these events. */
const untilEvent = (emitter: Emitter, ...events: string[]) =>
  new Promise<void>((resolve, reject) => {
    emitter.on('error', reject);
    for (const event of events) emitter.on(event, () => resolve());
  });

/** Returns the code of the cause, because `fetch` wraps the original error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error) return String(error.code);
  return error.cause ? codeOf(error.cause) : error.message;
}
