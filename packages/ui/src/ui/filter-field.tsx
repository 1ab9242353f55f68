import { useEffect, useRef, useState } from 'react';
import { type FieldProps, TextField } from './field.tsx';

/** Somebody who types the next letter within this time has not finished. */
const PAUSE_MS = 200;

interface FilterFieldProps extends FieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/**
 * A text that filters a list. It is told only when somebody pauses, so that the list is not asked for at each letter,
 * and the cursor stays where it is while the address follows.
 */
export function FilterField({ value, onValue, ...field }: FilterFieldProps) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value === told.current) return;
    clearTimeout(timer.current);
    told.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  function type(text: string): void {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (text === told.current) return;
      told.current = text;
      onValue(text);
    }, PAUSE_MS);
  }
  return <TextField {...field} type="search" value={typed} onValue={type} />;
}
