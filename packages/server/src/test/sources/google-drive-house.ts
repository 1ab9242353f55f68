/** Opens a Quarry in this process whose source google_drive asks a fake Drive. */
import { googleDrive } from '../../sources/catalog/google-drive.ts';
import type { DrivePeer } from './google-drive-peer.ts';
import { type GoogleHouse, openGoogleHouse } from './google-house.ts';

export type DriveHouse = GoogleHouse;

export const openDriveHouse = (drive: DrivePeer): Promise<DriveHouse> =>
  openGoogleHouse(googleDrive, drive);
