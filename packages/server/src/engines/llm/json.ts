/**
 * Finds the JSON in the answer of a model. Asked for JSON alone, some models write prose, fences or their thoughts
 * around it. The rule is strict: the answer is JSON as a whole or holds exactly one JSON object, else nothing is
 * taken.
 */

/** Returns undefined when the text holds no JSON object, or more than one. */
export function jsonIn(text: string): unknown {
  const said = text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const whole = parsed(said);
  if (whole !== undefined) return whole;
  const found = [...objectsIn(said)].map(parsed).filter((one) => one !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON, and undefined tells this to the caller.
    return undefined;
  }
}

/** Yields the texts from a `{` to the `}` that closes it, but only the outermost ones. */
function* objectsIn(text: string): Generator<string> {
  let start = -1;
  let depth = 0;
  // Quotation marks count only within an object, because prose has quotation marks of its own.
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = depth > 0;
    else if (character === '{' && depth++ === 0) start = i;
    else if (character === '}' && depth > 0 && --depth === 0) yield text.slice(start, i + 1);
  }
}
