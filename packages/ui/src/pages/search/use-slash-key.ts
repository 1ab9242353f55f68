import { useEffect, useRef } from 'react';

/** The key / puts the cursor into the search box, unless somebody writes elsewhere. */
export function useSlashKey() {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const isWriting =
        event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      box.current?.focus();
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return box;
}
