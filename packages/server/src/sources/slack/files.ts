/** Reads the files of messages. */
import { SourceError } from '../../errors.ts';
import { type Stub, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { FileInfo, type MessageAnswer, type SlackFile } from './answer.ts';
import { type ChannelPlace, ofFile } from './records.ts';

export interface CarriedSlackFile {
  readonly place: ChannelPlace;
  readonly message: MessageAnswer;
  readonly file: SlackFile;
}

/** A file that lies elsewhere, such as in Google Drive, has only its name and its address. */
export async function fileOf(http: Http, { carry, version, partition }: Stub) {
  const { place, message, file: shown } = carry as CarriedSlackFile;
  // A history tells only the id of a file in a channel that several workspaces share.
  const file = shown.file_access === 'check_file_info' ? await infoOf(http, shown.id) : shown;
  const entity = ofFile(place, message, file);
  const address = file.is_external ? '' : file.url_private_download || file.url_private;
  if (address === '')
    return upsert({ ...entity, text: file.title || file.name }, { version, partition });
  checkAddress(http, address);
  const name = file.name.split(/[/\\]/).at(-1) || 'file';
  const found = await http.file({ path: address }, { name, size: file.size });
  return upsert({ ...entity, file: found }, { version, partition });
}

const infoOf = async (http: Http, file: string): Promise<SlackFile> =>
  (await http.json({ path: 'api/files.info', query: { file } }, FileInfo)).value.file;

/** The token goes only to Slack. */
function checkAddress(http: Http, address: string): void {
  try {
    http.checkAddress(address);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new SourceError('skip', `the file is not at Slack: ${error.message}`, { cause: error });
  }
}
