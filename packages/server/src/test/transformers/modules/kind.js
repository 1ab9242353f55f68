/** These transformers do what they should. */

/** Returns what it gets. */
export async function copy(entities, _config) {
  return entities;
}

export async function suffix(entities, config) {
  return entities.map((one) => ({ ...one, text: `${one.text} ${config.word}` }));
}

/** Does the same as `suffix`, but never returns when the text of an entity contains `config.waitsAt`. */
export async function waiting(entities, config) {
  if (entities.some((one) => one.text.includes(config.waitsAt))) await new Promise(() => {});
  return suffix(entities, config);
}

/** Returns entities with characters that no database stores. */
export async function unclean(entities, _config) {
  return entities.map((one) => ({
    ...one,
    name: `${one.name}\u0000`,
    text: `${one.text} \u0000\ud800.`,
    metadata: { said: 'no\u0000thing' },
  }));
}

/** Leaves out the entities whose text contains `config.word`. */
export async function dropped(entities, config) {
  return entities.filter((one) => !one.text.includes(config.word));
}

/** Adds an entity for each line of a text, and keeps the text. */
export async function lines(entities, _config) {
  return entities.flatMap((one) => [
    one,
    ...one.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line, i) => ({
        entity_id: `${one.entity_id}#${i}`,
        entity_type: 'Post',
        name: `${one.name}, line ${i}`,
        text: line,
      })),
  ]);
}

/** Returns new entities, which name only what an entity must have, and `config.access` if it is set. */
export async function bare(entities, config) {
  return entities.map(({ entity_id, name, text }) => ({
    entity_id: `${entity_id}${config.suffix}`,
    name,
    text,
    ...(config.access && { access: config.access }),
  }));
}

export async function retyped(entities, _config) {
  return entities.map((one) => ({ ...one, entity_type: 'Post' }));
}

export async function tagged(entities, config) {
  return entities.map((one) => ({ ...one, metadata: { ...one.metadata, ...config.metadata } }));
}

export async function withId(entities, config) {
  return entities.flatMap((one) =>
    [one, { ...one, entity_id: config.ids[one.entity_id] ?? one.entity_id }].slice(
      0,
      config.ids[one.entity_id] ? 2 : 1,
    ),
  );
}

export const three = async (_entities, _config, _more) => [];
export const one = async (_entities) => [];
export function promised(entities, _config) {
  return Promise.resolve(entities);
}
export const number = 2;
