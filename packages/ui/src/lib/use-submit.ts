/** Sends what a form has, and keeps what the service says about it. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { onAnswer } from './reach.ts';
import { messageOf, Refusal, sentenceOf, Unreachable } from './refusal.ts';
import { hear } from './session-end.ts';

export interface Submission {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Returns what is wrong with a field, which is named by the last parts of its place, such as 'config.path'. */
  readonly faultOf: (field: string) => string | undefined;
  /**
   * Returns what went wrong apart from the fields that the form has asked about; null when there is nothing, or when the
   * form was edited since.
   */
  readonly summary: () => string | null;
  readonly submit: (event?: FormEvent) => void;
}

/** `send` must throw what goes wrong. */
export function useSubmit(send: () => Promise<void>): Submission {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const asked = useRef(new Set<string>());
  const [isEdited, setEdited] = useState(false);
  const sent = useRef<Element>(null);
  useEffect(() => {
    const form = sent.current;
    if (isBusy || !form) return;
    goToFault(form);
    // React hears an edit before the document does. Rendered earlier, the input would have its old text again.
    const note = ({ target }: Event) =>
      target instanceof Node && form.contains(target) && setEdited(true);
    document.addEventListener('input', note);
    return () => document.removeEventListener('input', note);
  }, [isBusy]);
  // An answer to any request shows that the service is there again, so the form no longer says otherwise.
  useEffect(
    () => (error instanceof Unreachable ? onAnswer(() => setError(null)) : undefined),
    [error],
  );

  const faults = error instanceof Refusal ? error.faults : [];
  const nameOf = (loc: readonly (string | number)[]) => loc.slice(1).join('.');
  return {
    isBusy,
    error,
    faultOf(field) {
      asked.current.add(field);
      const of = faults.filter(({ loc }) => {
        const name = nameOf(loc);
        return name === field || name.startsWith(`${field}.`);
      });
      return of.length > 0 ? of.map(({ msg }) => sentenceOf(msg)).join(' ') : undefined;
    },
    summary() {
      if (error === null || isEdited) return null;
      if (faults.length === 0) return messageOf(error);
      const fields = [...asked.current];
      const others = faults.filter(({ loc }) => {
        const name = nameOf(loc);
        return !fields.some((field) => name === field || name.startsWith(`${field}.`));
      });
      if (others.length === 0) return null;
      return others
        .map(({ loc, msg }) =>
          WHOLE.test(nameOf(loc)) ? sentenceOf(msg) : `${nameOf(loc)}: ${sentenceOf(msg)}`,
        )
        .join(' ');
    },
    submit(event) {
      event?.preventDefault();
      if (isBusy) return;
      sent.current = event?.currentTarget ?? null;
      setBusy(true);
      setEdited(false);
      setError(null);
      send()
        .catch((refusal: unknown) => {
          hear(refusal);
          setError(refusal);
        })
        .finally(() => setBusy(false));
    },
  };
}

/** Moves the focus to the first field that was refused, also when its part of the form is folded. */
function goToFault(form: Element): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  const folded = field?.closest('details');
  if (folded) folded.open = true;
  field?.focus();
}

/** A fault in one of these places concerns the settings, or the credentials, as a whole. */
const WHOLE = /^(config|auth(entication)?(\.\w+)*)$/;
