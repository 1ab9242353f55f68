import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { areSingleKeysOn, type KeyAct, keyReader } from '../../lib/keys.ts';
import type { Role } from '../../lib/role.ts';
import { goToResult, pressByKey, stepRows } from '../../lib/rows.ts';
import { toast } from '../../ui/toast.tsx';

const FILES = {
  palette: () => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })),
  help: () => import('./keys-help.tsx').then(({ KeysHelp }) => ({ default: KeysHelp })),
};
const Palette = lazy(FILES.palette);
const KeysHelp = lazy(FILES.help);

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
  // A dialog is shown only when its file is there: the page below stays as it is where the file cannot be loaded.
  const open = useCallback((kind: Opening['kind']) => {
    FILES[kind]().then(
      () => setOpening(nextOpening(kind)),
      () => toast('This cannot be opened now: its file could not be loaded.'),
    );
  }, []);
  useEffect(() => {
    const read = keyReader(areSingleKeysOn);
    function carryOut(act: KeyAct): void {
      switch (act.kind) {
        case 'palette':
        case 'help':
          open(act.kind);
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
  }, [router, open]);
  // The browser says later that Escape has closed a dialog. By then another one may be open.
  const close = (which: Opening) => () => setOpening((now) => (now === which ? null : now));
  return (
    <>
      <button type="button" className="find" onClick={() => open('palette')}>
        <Search size={14} aria-hidden="true" />
        <span className="grow">Find anything</span>
        <kbd>{COMMAND} K</kbd>
      </button>
      <Suspense>
        {opening?.kind === 'palette' && (
          <Palette
            key={opening.number}
            role={role}
            onHelp={() => open('help')}
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
