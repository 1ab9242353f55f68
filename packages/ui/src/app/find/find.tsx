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

/** The button that finds anything, and the keys that work on every page. */
export function Find({ role }: { readonly role: Role }) {
  const router = useRouter();
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  useEffect(() => {
    const read = keyReader(areSingleKeysOn);
    function carryOut(act: KeyAct): void {
      switch (act.kind) {
        case 'palette':
        case 'help':
          setOpen(act.kind);
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
  const close = () => setOpen(null);
  return (
    <>
      <button type="button" className="find" onClick={() => setOpen('palette')}>
        <Search size={14} aria-hidden="true" />
        <span className="grow">Find anything</span>
        <kbd>{COMMAND} K</kbd>
      </button>
      <Suspense>
        {open === 'palette' && (
          <Palette role={role} onHelp={() => setOpen('help')} onClose={close} />
        )}
        {open === 'help' && <KeysHelp command={COMMAND} onClose={close} />}
      </Suspense>
    </>
  );
}
