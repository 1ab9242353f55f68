/** Does to an entity what its text says, as far as the configuration allows it. */

/** Returns what becomes of one entity. Throws when the entity must fail. */
export function become({ entity_id, name, text }, { word, drops, splits, fails }) {
  if (fails && text.includes('fail')) throw new Error(`${entity_id} fails`);
  if (drops && text.includes('drop')) return [];
  const own = { entity_id, entity_type: 'Page', name, text: `${text} ${word}` };
  const [, count = '0'] = /split(\d)/.exec(text) ?? [];
  const parts = Array.from({ length: splits ? Number(count) : 0 }, (_, i) => ({
    entity_id: `${entity_id}/${i}`,
    entity_type: 'Post',
    name: `${name} ${i}`,
    text: `part ${i} of ${text}`,
  }));
  // With `only` in its text, an entity is replaced by its parts.
  return text.includes('only') && parts.length > 0 ? parts : [own, ...parts];
}

export async function model(entities, config) {
  return entities.flatMap((one) => become(one, config));
}
