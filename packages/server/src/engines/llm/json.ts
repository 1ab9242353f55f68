/**
 * The JSON in what a model says. Asked for JSON alone, some write prose, fences or their thoughts around
 * it. Strict: exactly one JSON object may stand there, else nothing is taken.
 */

/** Undefined when there is none, or more than one. */
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
    // Not JSON, which is what the caller asks.
    return undefined;
  }
}

/** Texts from a `{` to the `}` that closes it, the outermost ones. */
function* objectsIn(text: string): Generator<string> {
  let start = -1;
  let depth = 0;
  // Within an object alone, for prose has quotation marks of its own.
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
