/** Tests google_drive as every source of a cloud service is tested. */
import { googleDrive } from '../../sources/catalog/google-drive.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openDriveCompany } from './google-drive-company.ts';

testCloudSource(googleDrive, openDriveCompany);
