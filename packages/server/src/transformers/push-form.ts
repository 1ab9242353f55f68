/**
 * This file converts between entities and the form in which callers push entities. Transformers get and return entities
 * in that form.
 */
import type { Entity } from '../model/entity.ts';
import type { Push } from '../model/pushed.ts';

export type Pushed = Push['entities'][number];

export const fromPushed = (pushed: Pushed): Entity => ({
  id: pushed.entity_id,
  type: pushed.entity_type ?? 'PushedEntity',
  name: pushed.name,
  text: pushed.text,
  url: pushed.url,
  breadcrumbs: pushed.breadcrumbs?.map(({ entity_id, name, entity_type }) => ({
    id: entity_id,
    name,
    type: entity_type,
  })),
  createdAt: pushed.created_at === undefined ? undefined : new Date(pushed.created_at),
  updatedAt: pushed.updated_at === undefined ? undefined : new Date(pushed.updated_at),
  access: pushed.access && {
    viewers: pushed.access.viewers,
    isPublic: pushed.access.is_public,
  },
  fields: pushed.metadata ?? {},
});

/** Values that the entity does not have are left out. */
export const toPushed = (entity: Entity): Pushed => ({
  entity_id: entity.id,
  entity_type: entity.type,
  name: entity.name,
  text: entity.text,
  ...(entity.url !== undefined && { url: entity.url }),
  ...(entity.breadcrumbs && {
    breadcrumbs: entity.breadcrumbs.map(({ id, name, type }) => ({
      entity_id: id,
      name,
      entity_type: type,
    })),
  }),
  ...(entity.createdAt && { created_at: entity.createdAt.toISOString() }),
  ...(entity.updatedAt && { updated_at: entity.updatedAt.toISOString() }),
  metadata: { ...entity.fields },
  ...(entity.access && {
    access: {
      viewers: entity.access.viewers && [...entity.access.viewers],
      is_public: entity.access.isPublic,
    },
  }),
});
