/** Reads attachments of issues. Nobody can change an attachment; only what stands around it changes. */
import type { Entity } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { type LeftOut, type SourceItem, type Stub, stub, type Upsert, upsert } from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import type { JiraAttachment } from './answer.ts';
import { attachmentId, type IssuePlace, ofAttachment, partOfIssue } from './records.ts';

interface CarriedAttachment {
  readonly entity: Entity;
  readonly path: string;
}

export function attachmentStub(
  place: IssuePlace,
  attachment: JiraAttachment,
  api: string,
): SourceItem {
  const entity = ofAttachment(place, attachment);
  const carry: CarriedAttachment = {
    entity,
    path: `${api}attachment/content/${encodeURIComponent(attachment.id)}`,
  };
  const version = digestOf(entity);
  const partition = partOfIssue(place.project, place.issue);
  return stub(attachmentId(attachment), entity.type, { version, partition, carry });
}

export function fileOf(http: Http, found: Stub): Promise<Upsert | LeftOut> {
  const { carry, version, partition } = found;
  const { entity, path } = carry as CarriedAttachment;
  const { size } = entity.fields as { size: number };
  return fileOrSkip(found, { service: 'Jira' }, async () => {
    const file = await http.file({ path }, { name: entity.name, size });
    return upsert({ ...entity, file }, { partition, version });
  });
}
