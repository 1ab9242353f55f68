import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { areSingleKeysOn, type KeyAct, keyReader } from '../../lib/keys.ts';
import type { Role } from '../../lib/role.ts';
import { goToResult, pressByKey, stepRows } from '../../lib/rows.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })));
const KeysHelp = lazy(() => import('./keys-help.tsx').then((file) => ({ default: file.KeysHelp })));

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
/** These keys only change others. */
const CHANGERS = ['Shift', 'Control', 'Meta'];
const WRITES = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

/** A dialog that is shown. Each opening has a number of its own. */
interface Opening {
  readonly kind: 'palette' | 'help';
  readonly number: number;
}

/** The button that finds anything, and the keys that work on every page. */
export function Find({ role }: { readonly role: Role }) {
  const router = useRouter();
  const [opening, setOpening] = useState<Opening | null>(null);
  useEffect(() => {
    const read = keyReader(areSingleKeysOn);
    function carryOut(act: KeyAct): void {
      switch (act.kind) {
        case 'palette':
        case 'help':
          setOpening(nextOpening(act.kind));
          break;
        case 'page':
          void router.navigate({ to: act.to });
          break;
        case 'next':
          stepRows(1);
          break;
        case 'previous':
          stepRows(-1);
          break;
        case 'result':
          goToResult(act.number);
          break;
        case 'press':
          pressByKey(act.key);
          break;
      }
    }
    function press(event: KeyboardEvent): void {
      const isWriting = event.target instanceof Element && event.target.closest(WRITES) !== null;
      if (event.altKey || CHANGERS.includes(event.key)) return;
      const act = read({
        key: event.key,
        isCommand: event.ctrlKey || event.metaKey,
        isBusy: isWriting || document.querySelector('dialog[open]') !== null,
        at: event.timeStamp,
      });
      if (!act) return;
      event.preventDefault();
      carryOut(act);
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [router]);
  // The browser says later that Escape has closed a dialog. By then another one may be open.
  const close = (which: Opening) => () => setOpening((now) => (now === which ? null : now));
  return (
    <>
      <button type="button" className="find" onClick={() => setOpening(nextOpening('palette'))}>
        <Search size={14} aria-hidden="true" />
        <span className="grow">Find anything</span>
        <kbd>{COMMAND} K</kbd>
      </button>
      <Suspense>
        {opening?.kind === 'palette' && (
          <Palette
            key={opening.number}
            role={role}
            onHelp={() => setOpening(nextOpening('help'))}
            onClose={close(opening)}
          />
        )}
        {opening?.kind === 'help' && (
          <KeysHelp key={opening.number} command={COMMAND} onClose={close(opening)} />
        )}
      </Suspense>
    </>
  );
}

/** A palette that is open stays as it is. One that the browser has just closed is opened again. */
function nextOpening(kind: Opening['kind']): (now: Opening | null) => Opening | null {
  const isShown = kind === 'palette' && document.querySelector('dialog.palette[open]') !== null;
  return (now) => (isShown ? now : { kind, number: (now?.number ?? 0) + 1 });
}
