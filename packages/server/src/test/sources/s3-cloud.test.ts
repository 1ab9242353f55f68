/** Runs the suite of cloud sources on S3. */
import { s3 } from '../../sources/catalog/s3.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openS3Cloud } from './s3-cloud.ts';

testCloudSource(s3, openS3Cloud);
