import { useState } from 'react';

/** Keeps a text while somebody types or chooses. When `value` changes, such as by the address, it is that again. */
export function useTyped<Value extends string>(value: Value) {
  const [known, setKnown] = useState<Value>(value);
  const [typed, setTyped] = useState<Value>(value);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  return [typed, setTyped] as const;
}
