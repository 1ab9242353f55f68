/**
 * Serves a Google Drive with its shared drives, the directory of its company and Google's token endpoint on this
 * machine, as Google documents them. Every request and every answer is checked by Google's documents.
 */
import { must } from '../../util.ts';
import { openContract } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { CLIENT, openGoogleAccounts } from './google-accounts.ts';
import { answerOfDirectory, makeGoogleListings } from './google-directory.ts';
import { makeDriveAnswers } from './google-drive-answers.ts';
import { makeDriveChanges } from './google-drive-changes.ts';
import { badToken, refused, unauthorized } from './google-drive-refusal.ts';
import { DRIVE_SCOPE, usualDriveSettings } from './google-drive-settings.ts';
import { makeDriveShapes } from './google-drive-shapes.ts';
import { makeDriveWorld } from './google-drive-world.ts';
import { checkMask, masked, parseMask } from './google-fields.ts';

const DRIVE = openContract('google-drive');
const ADMIN = openContract('google-directory');
const DIRECTORY_SCOPE = 'https://www.googleapis.com/auth/admin.directory.';

export type DrivePeer = Awaited<ReturnType<typeof openDrive>>;

/** `me` is the person for whom the service account acts, and who signs in with the browser. */
export async function openDrive(me = 'ann@acme.example') {
  const world = makeDriveWorld(me);
  const settings = usualDriveSettings();
  const { page, forget } = makeGoogleListings(() => settings.largestPage);
  const shapes = makeDriveShapes(world);
  const changes = makeDriveChanges({ world, settings, shapes });
  const drive = makeDriveAnswers({ world, settings, page, shapes, changes });

  function directory(url: URL): PeerAnswer | object {
    if (!settings.isAdmin)
      return refused(403, 'Not Authorized to access this resource/api', { reason: 'forbidden' });
    return answerOfDirectory(url, world, page) ?? badToken();
  }

  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const { url, headers } = request;
    const isDirectory = url.pathname.startsWith('/admin/');
    const contract = isDirectory ? ADMIN : DRIVE;
    must(headers['user-agent'], 'the request does not say who asks');
    const operation = contract.checkRequest(request);
    const mask = url.searchParams.get('fields');
    if (mask !== null) checkMask(parseMask(mask), contract, operation);
    const session = accounts.sessionOf(headers);
    if (!session) return unauthorized();
    const needed = isDirectory ? DIRECTORY_SCOPE : DRIVE_SCOPE;
    if (!session.scopes.some((scope) => scope.startsWith(needed)))
      return refused(403, 'Request had insufficient authentication scopes.', {
        reason: 'insufficientPermissions',
      });
    const made = isDirectory ? directory(url) : drive(session.account, url);
    const given = 'status' in made ? (made as PeerAnswer) : json(200, chosen(made, url));
    contract.checkAnswer(request, given);
    return given;
  }

  // Google's token endpoint is another service, which works even when the Drive does not.
  const accounts = await openGoogleAccounts({
    inBrowser: () => ({ account: me, scopes: [DRIVE_SCOPE] }),
    isRefreshToken: (token) => settings.refreshTokens.has(token),
    mayActFor: (subject, scopes) =>
      subject === me && scopes.every((one) => settings.delegated.includes(one)),
  });
  const peer = await openCloudPeer(answer, { place: ['pageToken'] });
  const closeDrive = peer.close;
  Object.assign(peer, { close: () => Promise.all([closeDrive(), accounts.close()]) });

  return {
    settings,
    world,
    peer,
    serviceAccount: accounts.serviceAccount,
    me,
    /** The operator sets these addresses in place of Google's. */
    operator: { client: CLIENT, baseUrl: peer.baseUrl, tokenUrl: accounts.tokenUrl },
    tokenRequests: accounts.requests,
    /** Begins with an empty Drive. */
    clear(): void {
      world.clear();
      Object.assign(settings, usualDriveSettings());
      peer.requests.length = 0;
      accounts.requests.length = 0;
      peer.fault = () => undefined;
    },
    revoke: accounts.revoke,
    acceptToken: accounts.acceptToken,
    /** The page tokens and the places in logs that were given out so far become invalid. */
    forgetPlaces(): void {
      forget();
      changes.forget();
    },
  };
}

/** Without `fields`, the answer would have the fields that Google chooses. */
function chosen(made: object, url: URL): unknown {
  const fields = must(url.searchParams.get('fields'), `${url.pathname} is asked without fields`);
  return JSON.parse(JSON.stringify(masked(made, parseMask(fields))));
}
