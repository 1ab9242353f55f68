/** Reads the files of messages. */
import { SourceError } from '../../errors.ts';
import type { FileRef } from '../../model/entity.ts';
import { type LeftOut, type Stub, type Upsert, upsert } from '../items.ts';
import type { FileToDownload } from '../kit/file.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import { FileInfo, type MessageAnswer, type SlackFile } from './answer.ts';
import { selfOf } from './api.ts';
import { type ChannelPlace, isGone, ofFile } from './records.ts';
import { SIGN_IN_PAGE, SlackRefused } from './refusal.ts';

export interface CarriedSlackFile {
  readonly place: ChannelPlace;
  readonly message: MessageAnswer;
  readonly file: SlackFile;
}

export const fileOf = (http: Http, found: Stub): Promise<Upsert | LeftOut> =>
  fileOrSkip(found, { service: 'Slack' }, () => readFile(http, found));

/** A file that lies elsewhere, such as in Google Drive, has only its name and its address. */
async function readFile(http: Http, { carry, version, partition }: Stub): Promise<Upsert> {
  const { place, message, file: shown } = carry as CarriedSlackFile;
  // A history tells only the id of a file in a channel that several workspaces share.
  const file = shown.file_access === 'check_file_info' ? await infoOf(http, shown.id) : shown;
  if (isGone(file)) throw new SourceError('skip', 'Slack no longer has the file');
  const entity = ofFile(place, message, file);
  const address = file.is_external ? '' : file.url_private_download || file.url_private;
  if (address === '')
    return upsert({ ...entity, text: file.title || file.name }, { version, partition });
  checkAddress(http, address);
  const name = file.name.split(/[/\\]/).at(-1) || 'file';
  const content = await download(http, address, { name, size: file.size });
  return upsert({ ...entity, file: content }, { version, partition });
}

/**
 * Slack shows the page to sign in also when the token has ended. Then the request for the account renews it, or its
 * error ends the sync, so that the file does not count as refused.
 */
async function download(http: Http, path: string, file: FileToDownload): Promise<FileRef> {
  try {
    return await http.file({ path }, file);
  } catch (error) {
    if (!(error instanceof SlackRefused) || error.code !== SIGN_IN_PAGE) throw error;
    await selfOf(http);
    return http.file({ path }, file);
  }
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
