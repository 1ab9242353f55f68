import { useState } from 'react';

/** Keeps a text while somebody types. When `value` changes, such as by the address, it is that again. */
export function useTyped(value: string) {
  const [known, setKnown] = useState(value);
  const [typed, setTyped] = useState(value);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  return [typed, setTyped] as const;
}
