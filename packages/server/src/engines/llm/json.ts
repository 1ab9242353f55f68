/**
 * Finds the JSON in the answer of a model. Some models write prose, code fences or their reasoning around the JSON,
 * although only JSON was asked for. An answer is accepted when it is JSON as a whole or contains exactly one JSON
 * object.
 */

/** Returns undefined when the text does not contain exactly one JSON object. */
export function jsonIn(text: string): unknown {
  const answer = text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const whole = parsed(answer);
  if (whole !== undefined) return whole;
  const found = [...objectsIn(answer)].map(parsed).filter((one) => one !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON.
    return undefined;
  }
}

/** Yields the outermost texts from a `{` to the `}` that closes it. */
function* objectsIn(text: string): Generator<string> {
  let start = -1;
  let depth = 0;
  // Quotation marks are skipped outside of objects, because there they belong to the prose.
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
